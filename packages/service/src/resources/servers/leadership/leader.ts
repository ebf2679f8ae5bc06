import { Problem } from '../../../problem.ts';
import type { Tx } from '../../../storage/storage.ts';
import type { Row } from '../../../storage/tables.ts';
import { lockLeader } from './store.ts';

type ServerRow = Row<'servers'>;

/** Part of a lease by which the clocks of replicas may differ: a second of the six. */
const CLOCKS_DIFFER = 1 / 6;

/**
 * Returns how much of a lease its holder may use. The rest is a margin: a replica whose clock is ahead lets another member
 * lead before the lease has ended by the clock of the replica that granted it.
 */
export const grantedMs = (leaseMs: number): number => Math.floor(leaseMs * (1 - CLOCKS_DIFFER));

/** Returns the member that leads a cluster: the last to claim the lease, while its connection is open. */
export const leaderOf = ({
  leader_member,
  connected_replica,
}: Pick<ServerRow, 'leader_member' | 'connected_replica'>): string | null =>
  connected_replica === null ? null : leader_member;

/**
 * Refuses a report of a member that does not lead, or no longer in the epoch that it names. Locks the row, so that no
 * other member begins to lead before the report is stored.
 */
export async function requireLeader(
  tx: Tx,
  { serverId, memberId }: { readonly serverId: string; readonly memberId: string },
  epoch: string | undefined,
): Promise<void> {
  const row = await lockLeader(tx, serverId);
  if (row?.leader_member !== memberId)
    throw new Problem('FORBIDDEN', 'This member does not lead its cluster.', {
      reason: 'not_leader',
      epoch: row?.connection_epoch ?? 0,
    });
  if (epoch === undefined || epoch === String(row.connection_epoch)) return;
  throw new Problem('FORBIDDEN', 'This member leads its cluster in a later epoch; repeat the request with that one.', {
    reason: 'outdated_epoch',
    epoch: row.connection_epoch,
  });
}
