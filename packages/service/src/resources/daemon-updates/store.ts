import type { updateTargetMachine } from '@hortus/contract/machines/daemon-update';
import type { StateOf } from '@hortus/contract/machines/machine';
import { findIn, listOf, lockById, lockIn } from '../../storage/lists.ts';
import { type Slots, shapedStatement, statement } from '../../storage/statement.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { Row } from '../../storage/tables.ts';

export type UpdateRow = Row<'daemon_updates'>;
export type TargetRow = Row<'daemon_update_targets'>;

export interface UpdateFilter {
  readonly accountId: string;
  readonly status?: UpdateRow['status'] | undefined;
}

export const updateList = listOf(
  'daemon_updates',
  (filter: Slots<UpdateFilter>) => (eb) =>
    eb.and([
      eb('account_id', '=', filter.accountId),
      ...(filter.status === undefined ? [] : [eb('status', '=', filter.status)]),
    ]),
);

export const findUpdate = findIn('daemon_updates');
export const lockUpdate = lockIn('daemon_updates');

export const lockUpdateById = lockById('daemon_updates');

const targets = statement<{ updateId: string }, TargetRow>((db, p) =>
  db.selectFrom('daemon_update_targets').selectAll().where('update_id', '=', p.updateId).orderBy('place'),
);

export const targetsOf = (queries: Queries, updateId: string): Promise<TargetRow[]> => targets(queries, { updateId });

export const targetById = (queries: Queries, id: string): Promise<TargetRow | undefined> =>
  queries.db.selectFrom('daemon_update_targets').selectAll().where('id', '=', id).executeTakeFirst();

interface OpenTarget extends TargetRow {
  readonly update_status: UpdateRow['status'];
  readonly update_stage: UpdateRow['stage'];
}

const openTarget = statement<{ serverId: string }, OpenTarget>((db, p) =>
  db
    .selectFrom('daemon_update_targets as target')
    .innerJoin('daemon_updates as owner', 'owner.id', 'target.update_id')
    .selectAll('target')
    .select(['owner.status as update_status', 'owner.stage as update_stage'])
    .where('target.server_id', '=', p.serverId)
    .where('target.finished_at', 'is', null),
);

/** Returns the target of a server that has not ended; there is at most one. */
export const openTargetOf = async (queries: Queries, serverId: string): Promise<OpenTarget | undefined> =>
  (await openTarget(queries, { serverId }))[0];

/** Returns those of the servers that are part of an update that has not ended for them. */
export async function updatingAmong(queries: Queries, accountId: string): Promise<ReadonlySet<string>> {
  const rows = await queries.db
    .selectFrom('daemon_update_targets')
    .select('server_id')
    .where('account_id', '=', accountId)
    .where('finished_at', 'is', null)
    .execute();
  return new Set(rows.map(({ server_id }) => server_id));
}

/** Lists the targets whose order has not been sent on the newest connection known to this process. */
export const orderedTargets = (queries: Queries) =>
  queries.db
    .selectFrom('daemon_update_targets')
    .select(['server_id', 'sent_epoch'])
    .where('finished_at', 'is', null)
    .where('status', '=', 'ordered')
    .execute();

/** Marks an order as sent on a connection. Returns false if it was sent on it before, or is no longer to be sent. */
export async function markSent(tx: Tx, id: string, epoch: number): Promise<boolean> {
  const [{ numUpdatedRows } = { numUpdatedRows: 0n }] = await tx.db
    .updateTable('daemon_update_targets')
    .set({ sent_epoch: epoch })
    .where('id', '=', id)
    .where('status', '=', 'ordered')
    .where((eb) => eb.or([eb('sent_epoch', 'is', null), eb('sent_epoch', '<', epoch)]))
    .execute();
  return numUpdatedRows > 0n;
}

/** Takes the mark back, because the connection did not accept the order. */
export const unmarkSent = (tx: Tx, id: string, epoch: number) =>
  tx.db
    .updateTable('daemon_update_targets')
    .set({ sent_epoch: null })
    .where('id', '=', id)
    .where('sent_epoch', '=', epoch)
    .execute();

export const noteReceived = (tx: Tx, id: string) =>
  tx.db.updateTable('daemon_update_targets').set({ heard_at: tx.now }).where('id', '=', id).execute();

/** Marks the failures so far as accepted by a person. */
export const acceptFailures = (tx: Tx, updateId: string) =>
  tx.db
    .updateTable('daemon_update_targets')
    .set({ accepted: 1 })
    .where('update_id', '=', updateId)
    .where('status', 'in', ['returned', 'refused', 'unreachable'])
    .execute();

export interface StatusCount {
  readonly update_id: string;
  readonly stage: number;
  readonly status: StateOf<typeof updateTargetMachine>;
  readonly number: number;
}

const targetsByStatus = shapedStatement<{ ids: readonly string[] }, StatusCount>((db, { ids }) =>
  db
    .selectFrom('daemon_update_targets')
    .select(['update_id', 'stage', 'status', (eb) => eb.fn.countAll<number>().as('number')])
    .where('update_id', 'in', ids)
    .groupBy(['update_id', 'stage', 'status']),
);

/** Counts the targets of updates by stage and status. */
export async function countTargets(queries: Queries, ids: readonly string[]): Promise<StatusCount[]> {
  if (ids.length === 0) return [];
  const rows = await targetsByStatus(queries, { ids });
  return rows.map((row) => ({ ...row, number: Number(row.number) }));
}
