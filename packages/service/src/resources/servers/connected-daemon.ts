import type { Capability } from '@hortus/contract/channel/channel';
import type { Queries, Tx } from '../../storage/storage.ts';
import { capabilitiesOf, connectedDaemon, lockConnectedDaemon, type ServerRow } from './store.ts';

/** Columns needed to send something to the daemon of a server. */
export type ConnectedDaemon = Pick<ServerRow, 'id' | 'status' | 'connection_epoch' | 'last_seen_at'>;

export const findDaemon = async (queries: Queries, serverId: string): Promise<ConnectedDaemon | undefined> =>
  (await connectedDaemon(queries, { id: serverId }))[0];

/** Locks the server, so that the next connection waits until this transaction ends. */
export const holdDaemon = async (tx: Tx, serverId: string): Promise<ConnectedDaemon | undefined> =>
  (await lockConnectedDaemon(tx, { id: serverId }))[0];

/** Whether the last connected daemon announced a capability. */
export const daemonCan = async (queries: Queries, serverId: string, capability: Capability): Promise<boolean> =>
  (await capabilitiesOf(queries, serverId)).includes(capability);

/** Whether the last connected daemon announced a capability; also true if none has connected yet. */
export async function daemonMay(queries: Queries, serverId: string, capability: Capability): Promise<boolean> {
  const daemon = await findDaemon(queries, serverId);
  return daemon?.last_seen_at === null || (await daemonCan(queries, serverId, capability));
}
