import { forUpdate } from '../../../storage/locking.ts';
import { statement } from '../../../storage/statement.ts';
import type { Queries, Tx } from '../../../storage/storage.ts';
import type { Row } from '../../../storage/tables.ts';

type ServerRow = Row<'servers'>;

/** Notice with the id of a cluster whose lease was given up, so that another member may take it. */
export const LEASE_TOPIC = 'channel.lease';

/** Which member wants to lead which cluster, and until when. */
interface Claim {
  readonly serverId: string;
  readonly memberId: string;
  readonly now: number;
  readonly until: number;
}

/**
 * Decides in one statement, on the row of the cluster, so that of several replicas one succeeds. The holder of a
 * running lease may claim it again, with a new connection. The epoch grows with every claim: a member with an
 * older one no longer leads.
 */
const claim = statement<Claim, Pick<ServerRow, 'connection_epoch' | 'leader_since'>>((db, p) =>
  db
    .updateTable('servers')
    .set((eb) => ({
      leader_member: p.memberId,
      leader_until: p.until,
      leader_since: eb
        .case()
        .when('leader_member', '=', p.memberId)
        .then(eb.fn.coalesce('leader_since', eb('connection_epoch', '+', 1)))
        .else(eb('connection_epoch', '+', 1))
        .end(),
      connection_epoch: eb('connection_epoch', '+', 1),
    }))
    .where('id', '=', p.serverId)
    .where('kind', '=', 'cluster')
    .where('deleted_at', 'is', null)
    .where((eb) =>
      eb.or([eb('leader_member', '=', p.memberId), eb('leader_until', 'is', null), eb('leader_until', '<=', p.now)]),
    )
    .returning(['connection_epoch', 'leader_since']),
);

/** A leadership: its epoch, and the first one of the same member since another led. */
export interface Term {
  readonly epoch: number;
  readonly since: number;
}

/** Returns the new term; undefined if another member holds the lease. */
export async function claimLease(
  tx: Tx,
  serverId: string,
  memberId: string,
  leaseMs: number,
): Promise<Term | undefined> {
  const [row] = await claim(tx, { serverId, memberId, now: tx.now, until: tx.now + leaseMs });
  return row && { epoch: row.connection_epoch, since: row.leader_since ?? row.connection_epoch };
}

const renewal = statement<
  Omit<Claim, 'now'> & { readonly epoch: number; readonly now: number },
  Pick<ServerRow, 'connected_replica'>
>((db, p) =>
  db
    .updateTable('servers')
    .set({ leader_until: p.until, last_seen_at: p.now })
    .where('id', '=', p.serverId)
    .where('leader_member', '=', p.memberId)
    .where('connection_epoch', '=', p.epoch)
    .where('deleted_at', 'is', null)
    .returning('connected_replica'),
);

/**
 * Extends the lease of an epoch, also one that has ended: if the epoch is still the newest, no other member led in
 * between. Returns undefined if it is not.
 */
export async function renewLease(
  tx: Tx,
  { serverId, memberId, epoch }: { readonly serverId: string; readonly memberId: string; readonly epoch: number },
  leaseMs: number,
): Promise<Pick<ServerRow, 'connected_replica'> | undefined> {
  return (await renewal(tx, { serverId, memberId, epoch, now: tx.now, until: tx.now + leaseMs }))[0];
}

/**
 * Ends the lease of an epoch, if it is the newest: a release that arrives late must not end the lease of the same member's
 * next connection. The member stays the last leader, whose work the next one may have to settle.
 */
export async function releaseLease(
  tx: Tx,
  { serverId, memberId, epoch }: { readonly serverId: string; readonly memberId: string; readonly epoch: number },
): Promise<void> {
  const { numUpdatedRows } = await tx.db
    .updateTable('servers')
    .set({ leader_until: tx.now })
    .where('id', '=', serverId)
    .where('leader_member', '=', memberId)
    .where('connection_epoch', '=', epoch)
    .where('leader_until', '>', tx.now)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) tx.notify(LEASE_TOPIC, serverId);
}

/**
 * Ends the leadership of a member for good: neither a renewal nor a report of it counts any more. The lease runs on, because
 * its daemon may act until then. Returns the new epoch; undefined if it did not lead.
 */
export async function endLease(tx: Tx, serverId: string, memberId: string): Promise<number | undefined> {
  const row = await tx.db
    .updateTable('servers')
    .set((eb) => ({
      leader_member: null,
      leader_since: null,
      connection_epoch: eb('connection_epoch', '+', 1),
    }))
    .where('id', '=', serverId)
    .where('leader_member', '=', memberId)
    .returning('connection_epoch')
    .executeTakeFirst();
  return row?.connection_epoch;
}

/** Finds the clusters that a member may claim. */
export const vacantClusters = async (queries: Queries, ids: readonly string[], now: number): Promise<string[]> => {
  const rows = await queries.db
    .selectFrom('servers')
    .select('id')
    .where('id', 'in', ids)
    .where('deleted_at', 'is', null)
    .where((eb) => eb.or([eb('leader_until', 'is', null), eb('leader_until', '<=', now)]))
    .execute();
  return rows.map(({ id }) => id);
};

type LeaderRow = Pick<ServerRow, 'leader_member' | 'connection_epoch'>;

const leading = statement<{ id: string }, LeaderRow>((db, p, engine) =>
  forUpdate({ engine }, db.selectFrom('servers').select(['leader_member', 'connection_epoch']).where('id', '=', p.id)),
);

/** Reads who leads a cluster, and locks its row. */
export const lockLeader = async (tx: Tx, id: string): Promise<LeaderRow | undefined> => (await leading(tx, { id }))[0];
