import { newServerKey } from '../identity/tokens.ts';
import { Leadership, type LeadershipDeps } from '../resources/clusters/leadership.ts';
import { ClusterMembers } from '../resources/clusters/members.ts';
import { UpdateOrders } from '../resources/daemon-updates/orders.ts';
import { DaemonUpdates } from '../resources/daemon-updates/service.ts';
import { countDefinitionsOn } from '../resources/definitions/public.ts';
import { deploymentFor, underWay } from '../resources/deployments/queue.ts';
import { Agents } from '../resources/implant/agents.ts';
import { Releases } from '../resources/implant/releases.ts';
import {
  countRunningOn,
  definitionOfInstance,
  livingRevision,
  livingWithNamesOn,
} from '../resources/instances/public.ts';
import { orderProtection } from '../resources/manifest/protected-order.ts';
import { ManifestReading } from '../resources/manifest/reading.ts';
import { Manifests } from '../resources/manifest/service.ts';
import { openManifestSigner } from '../resources/manifest/signer.ts';
import { Registries } from '../resources/registries/service.ts';
import { ingressPortsOf } from '../resources/servers/addresses.ts';
import { daemonCan, daemonMay } from '../resources/servers/connected-daemon.ts';
import { Drains, type DrainsDeps } from '../resources/servers/drain.ts';
import { Identities } from '../resources/servers/identities.ts';
import { Liveness, type LivenessDeps } from '../resources/servers/liveness/liveness.ts';
import type { NewerDaemon } from '../resources/servers/record.ts';
import { Servers, type ServersDeps } from '../resources/servers/service.ts';
import type { SharedDependencies } from './dependencies.ts';

/** Notices for when a server is removed, lost, comes back or is put back into use. */
export interface ServerNotices
  extends Pick<ServersDeps, 'abandon'>,
    Pick<LivenessDeps, 'instances'>,
    Pick<LeadershipDeps, 'interrupted'>,
    Pick<DrainsDeps, 'stopEvacuation'> {}

export type ServersMade = Awaited<ReturnType<typeof makeServers>>;

/** Creates servers, their liveness, manifests, and logins to registries. */
export async function makeServers(
  shared: SharedDependencies,
  { abandon, instances, interrupted, stopEvacuation }: ServerNotices,
) {
  const { config, log, replica, storage, vault, catalog, pages, quotas, work } = shared;
  const { reader } = storage;
  const registries = new Registries({ reader, pages, vault });
  const signer = await openManifestSigner(storage, vault);
  const protect = orderProtection(signer);
  const agents = new Agents([...config.agentDirectories, ...(shared.agentBuilder ? [shared.agentBuilder.folder] : [])]);
  const releases = new Releases(agents);
  const newer: NewerDaemon = (version, platform) => releases.newerThan(version, platform);
  const issueKey = () => newServerKey(config.mode);
  const members = new ClusterMembers({
    reader,
    newer,
    issueKey,
    manifestKey: () => signer.publicKey,
    revoked: (tx, ...args) => leadership.revoked(tx, ...args),
  });
  const identities = new Identities(storage, newer, (...args) => members.sealingKeys(...args));
  const manifests = new Manifests({
    catalog,
    work,
    vault,
    signer,
    loginsFor: (...args) => registries.loginsFor(...args),
    ingressPorts: ingressPortsOf,
    runningRevision: livingRevision,
    canLink: async (queries, serverId) => daemonMay(queries, serverId, 'links'),
    emptyRestores: (queries, serverId) => daemonMay(queries, serverId, 'empty-restores'),
  });
  const reading = new ManifestReading({
    manifests,
    allowPlaintext: config.allowPlaintextManifest,
    deployment: deploymentFor,
    underWay,
    definitionOf: definitionOfInstance,
    introduce: (...args) => identities.introduce(...args),
    recipient: (tx, ...args) => identities.recipient(tx, ...args),
    traces: (queries, serverId) => daemonCan(queries, serverId, 'trace'),
  });
  const servers = new Servers({
    reader,
    pages,
    requireRoom: (tx, ...args) => quotas.requireRoom(tx, ...args),
    vault,
    issueKey,
    members,
    manifestKey: () => manifests.publicKey(),
    inUse: async (tx, id) => ({
      definitions: await countDefinitionsOn(tx, id),
      instances: await countRunningOn(tx, id),
    }),
    newer,
    refreshReleases: () => releases.refresh(),
    abandon,
  });
  const server = servers.currentState.bind(servers);
  const liveness = new Liveness({ storage, replica, log, instances });
  const leadership = new Leadership({ storage, replica, liveness, interrupted });
  const drains = new Drains({ newer, stopEvacuation, instancesOn: livingWithNamesOn });
  const updateOrders = new UpdateOrders({ storage, protect });
  const daemonUpdates = new DaemonUpdates({ reader, pages, releases });
  return {
    agents,
    drains,
    updateOrders,
    daemonUpdates,
    registries,
    manifests,
    protect,
    identities,
    members,
    leadership,
    reading,
    servers,
    server,
    liveness,
  };
}
