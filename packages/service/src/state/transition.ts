import { type Machine, type MoveOf, type StateOf, step } from '@hortus/contract/machines/machine';
import { append, type NewEvent } from '../outbox/append.ts';
import { conflict } from '../problem.ts';
import { insertRow, updateState } from '../storage/status-columns.ts';
import { RunAgain, type Tx } from '../storage/storage.ts';
import type { NewRow, Row, Tables } from '../storage/tables.ts';

/** Tables whose rows have a status. */
type Stateful = { [T in keyof Tables]: Tables[T] extends { status: { __select__: string } } ? T : never }[keyof Tables];

/** Connects a machine of the contract to its table: defines its guards and the data of its events. */
export interface Lifecycle<M extends Machine, Table extends Stateful> {
  readonly machine: M;
  readonly table: Table;
  /** The column that the machine changes; an instance has a health in addition to its status. */
  readonly column?: 'status' | 'health';
  /** Initial states of the row's other machines. */
  readonly besides?: Readonly<Record<string, string>>;
  readonly resource: string;
  readonly guards?: Readonly<Record<string, (row: Row<Table>) => boolean>>;
  /** The event's `data`; must not contain secrets. */
  readonly eventData: (row: Row<Table>) => Record<string, unknown>;
  /** Account of the event; events of rows of the installation itself are not written. */
  readonly accountOf: (row: Row<Table>) => string;
}

export interface Change<Table extends Stateful> {
  readonly actor: string | null;
  /** Columns that change together with the status. */
  readonly set?: Partial<NewRow<Table>>;
}

/** Inserts a row in its initial state, with its event. Throws `taken` if a unique key is in use. */
export async function begin<M extends Machine, Table extends Stateful>(
  tx: Tx,
  lifecycle: Lifecycle<M, Table>,
  row: NewRow<Table>,
  move: MoveOf<M>,
  actor: string | null,
  taken: () => Error = () => new Error(`This ${lifecycle.resource} exists already.`),
): Promise<Row<Table>> {
  const first = step(lifecycle.machine, null, move);
  if (!first) throw new Error(`The ${lifecycle.machine.name} machine does not start with ${move}.`);
  const born = { ...row, ...lifecycle.besides, [lifecycle.column ?? 'status']: first.to } as unknown as Row<Table>;
  // Sent together: if the key is in use, this throws and the transaction is rolled back together with the event.
  const [free] = await Promise.all([
    insertRow(tx, lifecycle.table, born),
    emit(tx, lifecycle, born, first.event, actor),
  ]);
  if (!free) throw taken();
  return born;
}

/**
 * The only way to change a status: the table of moves decides, and the row and its event are written in one
 * transaction. The row must have been read in this transaction.
 */
export async function transition<M extends Machine, Table extends Stateful>(
  tx: Tx,
  lifecycle: Lifecycle<M, Table>,
  row: Row<Table>,
  move: MoveOf<M>,
  change: Change<Table>,
): Promise<Row<Table>> {
  const { machine, table, column = 'status' } = lifecycle;
  const { id } = row as unknown as { id: string };
  const from = (row as Record<string, unknown>)[column] as StateOf<M>;
  const taken = step(machine, from, move, (guard) => lifecycle.guards?.[guard]?.(row) ?? false);
  if (!taken) {
    throw conflict(column, 'state', `a ${lifecycle.resource} that is ${from} cannot ${move}.`, { [column]: from });
  }
  const columns = { ...change.set, [column]: taken.to, updated_at: tx.now };
  // Another transaction has changed it since it was read: run this transaction again.
  if (!(await updateState(tx, table, { id, column, from, columns }))) throw new RunAgain();
  const changed = { ...row, ...columns } as Row<Table>;
  await emit(tx, lifecycle, changed, taken.event, change.actor);
  return changed;
}

async function emit<M extends Machine, Table extends Stateful>(
  tx: Tx,
  lifecycle: Lifecycle<M, Table>,
  row: Row<Table>,
  type: NewEvent['type'] | undefined,
  actor: string | null,
): Promise<void> {
  if (!type) return;
  await append(tx, {
    type,
    accountId: lifecycle.accountOf(row),
    resourceType: lifecycle.resource,
    resourceId: (row as unknown as { id: string }).id,
    actor,
    data: lifecycle.eventData(row),
  });
}
