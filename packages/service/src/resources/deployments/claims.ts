import { conflict } from '../../problem.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import { adopt, type DeploymentRow, setClaim } from './store.ts';

/** Whether the server's connection is held by a daemon that knows only the published messages. */
export type HasPublishedDaemon = (queries: Queries, accountId: string, serverId: string) => Promise<boolean>;

/**
 * Ensures that of two daemons with the same server key only one carries out a deployment: the one whose token claimed
 * it. A daemon without a token is accepted only while such a daemon holds the server's connection; it then takes the
 * claim over, and reports with the old token are refused.
 */
export async function acceptClaim(
  tx: Tx,
  row: DeploymentRow,
  claim: string | null,
  hasPublishedDaemon: HasPublishedDaemon,
): Promise<DeploymentRow> {
  // Only the leading member of the cluster gets here; it continues, or it reports how the cluster ended it.
  if (row.interrupted_at !== null && claim !== null) return await adopt(tx, row, claim);
  if (row.claimed_by === claim) return row;
  if (claim === null && (await hasPublishedDaemon(tx, row.account_id, row.server_id))) {
    return await setClaim(tx, row, null);
  }
  throw conflict('claim', 'claimed', 'another daemon with the key of this server has claimed this deployment.');
}
