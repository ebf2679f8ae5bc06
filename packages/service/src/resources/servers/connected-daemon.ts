import type { Capability } from '@hortus/contract/channel';
import type { Queries, Tx } from '../../storage/storage.ts';
import { capabilitiesOf, connectedDaemon, lockConnectedDaemon, type ServerRow } from './store.ts';

/** What whoever sends something to a daemon has to know of its server. */
export type ConnectedDaemon = Pick<ServerRow, 'id' | 'status' | 'connection_epoch' | 'last_seen_at'>;

export const findDaemon = async (queries: Queries, serverId: string): Promise<ConnectedDaemon | undefined> =>
  (await connectedDaemon(queries, { id: serverId }))[0];

/** Whoever connects next waits until this transaction ends. */
export const holdDaemon = async (tx: Tx, serverId: string): Promise<ConnectedDaemon | undefined> =>
  (await lockConnectedDaemon(tx, { id: serverId }))[0];

/** Whether the daemon that connected last asked for a capability. */
export const daemonCan = async (queries: Queries, serverId: string, capability: Capability): Promise<boolean> =>
  (await capabilitiesOf(queries, serverId)).includes(capability);
