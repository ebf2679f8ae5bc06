import type { Queries } from '../storage/storage.ts';
import { type Principal, unlimited } from './principal.ts';
import { keyById, memberById } from './store.ts';
import { permissionsOf } from './user-permissions.ts';

/**
 * Returns a key or user with the rights that it has now, for work that it ordered earlier. Undefined if it does not
 * exist any more, was revoked or has expired.
 */
export async function absentPrincipal(
  queries: Queries,
  accountId: string,
  actor: string,
  now: number,
): Promise<Principal | undefined> {
  if (actor.startsWith('usr_')) {
    const user = await memberById(queries, accountId, actor);
    if (!user) return undefined;
    const { plan } = user;
    return { kind: 'session', id: actor, userId: actor, accountId, plan, permissions: permissionsOf(user) };
  }
  const key = await keyById(queries, accountId, actor);
  if (!key || key.revoked_at !== null || (key.expires_at !== null && key.expires_at <= now)) return undefined;
  return {
    kind: 'key',
    id: key.id,
    userId: key.created_by?.startsWith('usr_') ? key.created_by : null,
    accountId,
    plan: key.plan,
    permissions: JSON.parse(key.permissions) as string[],
    ...unlimited,
  };
}
