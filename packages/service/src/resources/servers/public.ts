// What other resources may use of servers.
export { appsDomainOf } from './addresses.ts';
export { type ConnectedDaemon, daemonCan, findDaemon, holdDaemon } from './connected-daemon.ts';
export { type DaemonFacts, daemonsOf } from './daemon-facts.ts';
export type { ServerOrder } from './prune.ts';
export type { Standing } from './service.ts';
export { offlineServers, serversOf } from './store.ts';
export { requireTrustedServer } from './trusted.ts';
