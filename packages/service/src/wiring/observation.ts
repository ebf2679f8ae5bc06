import { guardWith } from '../process/guard.ts';
import { Capacities } from '../resources/capacity/service.ts';
import { idsByUid } from '../resources/instances/by-uid.ts';
import { livingWithNamesOn } from '../resources/instances/public.ts';
import { LogFeeds } from '../resources/logs/feed.ts';
import { LogPages } from '../resources/logs/pages.ts';
import { Logs } from '../resources/logs/service.ts';
import { LiveMetrics } from '../resources/metrics/live.ts';
import { Metrics } from '../resources/metrics/service.ts';
import { Shells } from '../resources/shells/service.ts';
import type { SharedDependencies } from './dependencies.ts';
import type { DeploymentsMade } from './deployments.ts';
import type { ServersMade } from './servers.ts';

/** Creates what shows the running instances and servers: logs, shells, metrics and capacity. */
export function makeObservation(
  { storage, pages, vault, streams, log }: SharedDependencies,
  { servers, server }: ServersMade,
  { instances }: DeploymentsMade,
) {
  const { reader } = storage;
  const guard = guardWith(log);
  const serverState = ({ accountId, serverId }: { readonly accountId: string; readonly serverId: string }) =>
    server(reader, accountId, serverId);
  const logs = new Logs({
    async target(principal, id) {
      const { account_id, server_id, container_name } = await instances.find(reader, principal, id);
      return { accountId: account_id, serverId: server_id, instance: container_name };
    },
    serverState,
    pages: new LogPages(streams, guard),
    feeds: new LogFeeds({
      streams,
      serverState,
      guard,
      log,
    }),
  });
  const shells = new Shells({
    storage,
    pages,
    vault,
    async place(queries, principal, id) {
      const { account_id, server_id, container_name } = await instances.find(queries, principal, id);
      return { accountId: account_id, serverId: server_id, instance: container_name };
    },
    serverState: (queries, { accountId, serverId }) => server(queries, accountId, serverId),
  });
  const metrics = new Metrics({
    reader,
    requireInstance: (principal, id) => instances.find(reader, principal, id),
    idsByUid,
  });
  const capacities = new Capacities({
    reader,
    pages,
    identify: (tx, ...args) => servers.identify(tx, ...args),
    recordNetworks: (tx, ...args) => servers.recordNetworks(tx, ...args),
    recordUsage: (tx, ...args) => metrics.record(tx, ...args),
  });
  const liveMetrics = new LiveMetrics({
    reader,
    streams,
    serverState,
    capacity: ({ accountId, serverId }) => capacities.latest(accountId, serverId),
    instancesOn: (serverId) => livingWithNamesOn(reader, serverId),
    serverOf: async (principal, id) => (await instances.find(reader, principal, id)).server_id,
    guard,
    log,
  });
  return { logs, shells, metrics, liveMetrics, capacities };
}
