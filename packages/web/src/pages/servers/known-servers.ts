import type { OverviewServer } from '@hortus/contract/resources/overview';
import { useApi } from '../../api/query.ts';

export interface KnownServers {
  readonly servers: readonly OverviewServer[];
  readonly nameOf: (id: string) => string;
  /** Until the names are there. A table with ids would move when they arrive. */
  readonly isReading: boolean;
}

/** Servers of the account, from the overview that is read anyway; and the name of each by its id. */
export function useServers(): KnownServers {
  const { data, isPending: isReading } = useApi('overview.read');
  const servers = data?.data.servers ?? [];
  return { servers, nameOf: (id) => servers.find((server) => server.id === id)?.name ?? id, isReading };
}
