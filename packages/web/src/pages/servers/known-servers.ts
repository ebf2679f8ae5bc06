import type { OverviewServer } from '@hortus/contract/resources/overview';
import { useApi } from '../../api/query.ts';

/** Servers of the account, from the overview that is read anyway; and the name of each by its id. */
export function useServers(): { servers: readonly OverviewServer[]; nameOf: (id: string) => string } {
  const servers = useApi('overview.read').data?.data.servers ?? [];
  return { servers, nameOf: (id) => servers.find((server) => server.id === id)?.name ?? id };
}
