// What other resources may use of servers.
export { appsDomainOf } from './addresses.ts';
export { type ConnectedDaemon, daemonCan, findDaemon, holdDaemon } from './connected-daemon.ts';
export { type DaemonFacts, daemonsOf } from './daemon-facts.ts';
export { identityRecord } from './identity.ts';
export { leaderOf, releaseLease } from './lease.ts';
export type { ServerOrder } from './prune.ts';
export { daemonRecord, type NewerDaemon } from './record.ts';
export type { Standing } from './service.ts';
export { findServer, lockServer, offlineServers, type ServerRow, serversOf } from './store.ts';
export { requireTrustedServer } from './trusted.ts';
