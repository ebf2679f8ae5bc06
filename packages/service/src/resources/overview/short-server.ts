import type { OverviewServer } from '@hortus/contract/resources/overview';
import type { Server } from '@hortus/contract/resources/server-records';

/** Returns what the overviews show of a server. */
export function shortServer(server: Server): Omit<OverviewServer, 'capacity'> {
  const { id, name, environment, status, trusted, last_seen_at, apps_domain, daemon } = server;
  const { os, arch, engine } = daemon;
  return { id, name, environment, status, trusted, last_seen_at, os, arch, engine, apps_domain };
}
