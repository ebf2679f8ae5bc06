import { useApiOnce } from '../../api/query.ts';
import { useMay, useSession } from '../../api/session.ts';
import { useServers } from '../servers/known-servers.ts';

/** Names of the people, keys and servers that cause events. Read once; an unknown one keeps its id. */
export function useActorNames(): (id: string) => string | undefined {
  const enabled = useMay()('account:read');
  const { user } = useSession();
  const members = useApiOnce(enabled, 'members.list', { query: { per_page: 100 } });
  const keys = useApiOnce(enabled, 'keys.list', { query: { per_page: 100 } });
  const { servers } = useServers();
  const names = new Map<string, string>([
    ...servers.map(({ id, name }) => [id, name] as const),
    ...(keys.data?.data ?? []).map(({ id, name }) => [id, `key ${name}`] as const),
    ...(members.data?.data ?? []).map(({ id, name, email }) => [id, name ?? email] as const),
    ...(user ? [[user.id, 'you'] as const] : []),
  ]);
  return (id) => names.get(id);
}
