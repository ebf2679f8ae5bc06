// What other resources may use of servers.
export { appsDomainOf } from './addresses.ts';
export type { ClusterConnections } from './cluster-connections.ts';
export { modeRefusal, withRefusal } from './cluster-mode.ts';
export { type ConnectedDaemon, daemonCan, findDaemon, holdDaemon } from './connected-daemon.ts';
export { type DaemonFacts, daemonsOf } from './daemon-facts.ts';
export {
  conflictColumns,
  identityRecord,
  isNewConflict,
  judgeIdentity,
  malformedIdentity,
} from './identity.ts';
export { grantedMs, leaderOf } from './leadership/leader.ts';
export type { Term } from './leadership/store.ts';
export { claimLease, endLease, LEASE_TOPIC, releaseLease, renewLease, vacantClusters } from './leadership/store.ts';
export { daemonColumns, type Hello, type LeadingMember } from './liveness/liveness.ts';
export type { Needs } from './placement/choosing.ts';
export { type Placements, PlaceTaken } from './placement/placements.ts';
export { noServerFits, placementOf, type Survey } from './placement/survey.ts';
export type { ServerOrder } from './prune.ts';
export { daemonRecord, labelsOf, type NewerDaemon } from './record.ts';
export type { ServerState } from './service.ts';
export { findServer, heldServer, lockServer, offlineServers, type ServerRow, serversOf, trustServer } from './store.ts';
export { requireTrustedServer } from './trusted.ts';
