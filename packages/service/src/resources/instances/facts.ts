import type { reportableStatuses } from '@hortus/contract/resources/instance-records';
import { MAX_RESTARTS } from '@hortus/contract/resources/notifications';
import { transition } from '../../state/transition.ts';
import type { Tx } from '../../storage/storage.ts';
import { healthLifecycle, healthMoves, instanceLifecycle, statusMoves } from './lifecycle.ts';
import type { InstanceRow } from './store.ts';

/** Report of an instance's state. Omitted fields have not changed. */
export interface Facts {
  readonly status: (typeof reportableStatuses)[number];
  readonly health?: InstanceRow['health'] | undefined;
  readonly container_id?: string | null | undefined;
  readonly container_name?: string | null | undefined;
  /** ISO 8601 or milliseconds since 1970. */
  readonly started_at?: string | number | null | undefined;
}

export type Columns = Partial<
  Pick<
    InstanceRow,
    | 'container_id'
    | 'container_name'
    | 'started_at'
    | 'starts'
    | 'restarted_at'
    | 'revision'
    | 'url'
    | 'components'
    | 'last_reported_at'
    | 'drift'
    | 'drifted_at'
  >
>;

const LATEST_TIME = 8.64e15;

function timeOf(input: Facts['started_at']): number | undefined {
  const time = typeof input === 'string' ? Date.parse(input) : (input ?? undefined);
  return time !== undefined && time >= 0 && time <= LATEST_TIME ? time : undefined;
}

/** Computes the columns that differ from the report. */
function differences(row: InstanceRow, facts: Facts, now: number): Columns {
  const began = facts.status === 'running' && row.status !== 'running';
  const started_at = timeOf(facts.started_at) ?? (began || row.started_at === null ? now : row.started_at);
  const reported: Columns = {
    ...(facts.container_id ? { container_id: facts.container_id } : {}),
    ...(facts.container_name ? { container_name: facts.container_name } : {}),
    ...(facts.status === 'running' ? { started_at } : {}),
  };
  const changed = Object.entries(reported).filter(([name, value]) => row[name as keyof Columns] !== value);
  return Object.fromEntries(changed);
}

/**
 * Counts a restart by the engine: the container of a running instance began again, or waits for that. What users order
 * passes through `stopped` or replaces the container.
 */
function restartOf(row: InstanceRow, facts: Facts, now: number): Pick<Columns, 'starts' | 'restarted_at'> {
  const began = timeOf(facts.started_at);
  const sameContainer = !facts.container_id || facts.container_id === row.container_id;
  const again =
    row.status === 'running' &&
    sameContainer &&
    (facts.status === 'restarting' ||
      (facts.status === 'running' && began !== undefined && row.started_at !== null && began > row.started_at));
  if (!again) return {};
  const starts: number[] = JSON.parse(row.starts);
  return { starts: JSON.stringify([...starts, now].slice(-MAX_RESTARTS)), restarted_at: now };
}

/** A container that does not run has no health. */
const healthOf = (row: InstanceRow, { status, health }: Facts): InstanceRow['health'] =>
  health ?? (status === 'running' && row.status === 'running' ? row.health : 'unknown');

export const saysNothingNew = (row: InstanceRow, facts: Facts, now: number): boolean =>
  row.status === facts.status &&
  row.health === healthOf(row, facts) &&
  Object.keys(differences(row, facts, now)).length === 0;

/** Applies a report. The caller has locked the row, which is not released. */
export async function take(
  tx: Tx,
  row: InstanceRow,
  facts: Facts,
  { actor, set = {} }: { actor: string | null; set?: Columns },
): Promise<InstanceRow> {
  const health = healthOf(row, facts);
  const columns = {
    ...differences(row, facts, tx.now),
    ...restartOf(row, facts, tx.now),
    last_reported_at: tx.now,
    ...set,
  };
  const moved = await transition(tx, instanceLifecycle, row, statusMoves[facts.status], { actor, set: columns });
  return health === moved.health ? moved : transition(tx, healthLifecycle, moved, healthMoves[health], { actor });
}

/** Resets the health of an instance whose containers are not visible. */
export const forgetHealth = (tx: Tx, row: InstanceRow, actor: string | null): Promise<InstanceRow> =>
  row.health === 'unknown' ? Promise.resolve(row) : transition(tx, healthLifecycle, row, 'forget', { actor });
