import { conflict } from '../../problem.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import { type DeploymentRow, setClaim } from './store.ts';

/** Whether the connection of a server is held by a daemon that knows the published messages only. */
export type HasPublishedDaemon = (queries: Queries, accountId: string, serverId: string) => Promise<boolean>;

/**
 * Of two daemons with one key that see the same deployment, one gets it: the other's token is not the one that was
 * claimed with. A daemon without a token cannot say who it is. It is believed if the connection of the server is held by
 * one of its kind, which has taken over then, and nobody with a token is listened to any more.
 */
export async function requireClaim(
  tx: Tx,
  row: DeploymentRow,
  claim: string | null,
  hasPublishedDaemon: HasPublishedDaemon,
): Promise<DeploymentRow> {
  if (row.claimed_by === claim) return row;
  if (claim === null && (await hasPublishedDaemon(tx, row.account_id, row.server_id))) {
    return await setClaim(tx, row, null);
  }
  throw conflict('claim', 'claimed', 'another daemon with the key of this server has taken this deployment.');
}
