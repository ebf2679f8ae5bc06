import { transition } from '../../state/transition.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import { recordRehearsal, rehearsalLifecycle } from './lifecycle.ts';
import { noteRehearsal, type RehearsalRow } from './store.ts';

/** State of an ordered deployment or execution. */
export interface Standing {
  readonly ended: boolean;
  readonly succeeded: boolean;
  readonly error: string | null;
  /** Last lines of the container that failed. */
  readonly lastLines?: readonly string[];
  readonly output?: string | null;
}

export interface ProgressDeps {
  readonly deployment: (queries: Queries, row: RehearsalRow, id: string) => Promise<Standing>;
  readonly execution: (queries: Queries, row: RehearsalRow, id: string) => Promise<Standing>;
  readonly hasServer: (queries: Queries, row: RehearsalRow) => Promise<boolean>;
  readonly dataBytes: (queries: Queries, row: RehearsalRow) => Promise<number>;
  /** Orders the deployment of the running version with the data of the backup; returns its id. */
  readonly restore: (tx: Tx, row: RehearsalRow) => Promise<string>;
  /** Orders the deployment of the change; returns its id. */
  readonly change: (tx: Tx, row: RehearsalRow, revision: number) => Promise<string>;
  /** Orders the smoke test; returns the execution id. */
  readonly smoke: (tx: Tx, row: RehearsalRow) => Promise<string>;
  readonly cancel: (tx: Tx, row: RehearsalRow) => Promise<void>;
  /** Orders the removal of the copy; undefined if there is nothing. */
  readonly discard: (tx: Tx, row: RehearsalRow) => Promise<string | undefined>;
  /** Archives the definition of the copy. */
  readonly archive: (tx: Tx, row: RehearsalRow) => Promise<void>;
  /** Wakes the upgrade that waits for the result. */
  readonly ended: (tx: Tx, row: RehearsalRow) => Promise<void>;
}

/** Pause between attempts to clean up. */
const AGAIN_MS = 60_000;
/** Fallback poll; normally the end of the awaited work wakes the job. */
const LOOK_MS = 600_000;

/** Advances a rehearsal by one step. Returns the delay until the next one; undefined when nothing of it is left. */
export async function advance(deps: ProgressDeps, tx: Tx, row: RehearsalRow): Promise<number | undefined> {
  if (row.finished_at !== null) return await keepOrClear(deps, tx, row);
  if (!(await deps.hasServer(tx, row)))
    return await conclude(deps, tx, row, { reason: 'server_removed', error: 'The server of the copy was removed.' });
  const awaited = await awaitedBy(deps, tx, row);
  if (awaited && !awaited.ended) {
    if (tx.now < row.deadline_at) return Math.min(LOOK_MS, row.deadline_at - tx.now);
    await deps.cancel(tx, row);
    return await conclude(deps, tx, row, { reason: 'timeout', error: `It did not finish in time (${row.status}).` });
  }
  if (awaited && !awaited.succeeded) return await conclude(deps, tx, row, failureOf(row, awaited));
  return await proceed(deps, tx, row, awaited);
}

/** Reads the work that the current step waits for; undefined if it waits for nothing. */
async function awaitedBy(deps: ProgressDeps, tx: Tx, row: RehearsalRow): Promise<Standing | undefined> {
  switch (row.status) {
    case 'preparing':
      return row.backup_execution === null ? undefined : deps.execution(tx, row, row.backup_execution);
    case 'restoring':
      return deps.deployment(tx, row, row.restore_deployment_id ?? '');
    case 'applying':
      return deps.deployment(tx, row, row.change_deployment_id ?? '');
    default:
      return deps.execution(tx, row, row.smoke_id ?? '');
  }
}

/** What failed, by the step. */
const failures = { preparing: 'backup', restoring: 'restore', applying: 'deployment', testing: 'smoke' } as const;

type Verdict = Partial<Pick<RehearsalRow, 'reason' | 'error' | 'last_lines' | 'output'>>;

function failureOf({ status }: RehearsalRow, { error, lastLines = [], output = null }: Standing): Verdict {
  const reason = failures[status as keyof typeof failures];
  return { reason, error, last_lines: JSON.stringify(lastLines), output };
}

async function proceed(deps: ProgressDeps, tx: Tx, row: RehearsalRow, awaited: Standing | undefined): Promise<number> {
  const set = (columns: Partial<RehearsalRow>) => ({ actor: null, set: columns });
  switch (row.status) {
    case 'preparing': {
      const restore_deployment_id = await deps.restore(tx, row);
      const columns = { restore_deployment_id, data_bytes: await deps.dataBytes(tx, row), backed_up_at: tx.now };
      await transition(tx, rehearsalLifecycle, row, 'restore', set(columns));
      return LOOK_MS;
    }
    case 'restoring': {
      const restored_at = tx.now;
      if (row.change_revision === null) return await test(deps, tx, row, { restored_at });
      const change_deployment_id = await deps.change(tx, row, row.change_revision);
      await transition(tx, rehearsalLifecycle, row, 'apply', set({ restored_at, change_deployment_id }));
      return LOOK_MS;
    }
    case 'applying':
      return await test(deps, tx, row, { applied_at: tx.now });
    default:
      return await conclude(deps, tx, row, { output: awaited?.output ?? null });
  }
}

async function test(deps: ProgressDeps, tx: Tx, row: RehearsalRow, columns: Partial<RehearsalRow>): Promise<number> {
  const smoke_id = await deps.smoke(tx, row);
  await transition(tx, rehearsalLifecycle, row, 'test', { actor: null, set: { ...columns, smoke_id } });
  return LOOK_MS;
}

/** Ends a rehearsal; it has passed if the verdict names no reason. */
export async function conclude(
  deps: Pick<ProgressDeps, 'ended'>,
  tx: Tx,
  row: RehearsalRow,
  verdict: Verdict,
  actor: string | null = null,
): Promise<number> {
  const passed = verdict.reason === undefined;
  const set = { ...verdict, finished_at: tx.now };
  const ended = await transition(tx, rehearsalLifecycle, row, passed ? 'pass' : 'fail', { actor, set });
  await recordRehearsal(tx, ended, passed ? 'passed' : 'failed', actor);
  await deps.ended(tx, ended);
  return 0;
}

/** A clone is kept for a while, also if its change failed, unless there was never data in it. */
async function keepOrClear(deps: ProgressDeps, tx: Tx, row: RehearsalRow): Promise<number | undefined> {
  const left = row.keep_until === null || row.restored_at === null ? 0 : row.keep_until - tx.now;
  return left > 0 ? left : await clear(deps, tx, row);
}

async function clear(deps: ProgressDeps, tx: Tx, row: RehearsalRow): Promise<number | undefined> {
  if (!(await deps.hasServer(tx, row))) return await cleared(deps, tx, row);
  // A cancelled deployment may still be creating what is to be removed.
  for (const id of [row.restore_deployment_id, row.change_deployment_id])
    if (id !== null && !(await deps.deployment(tx, row, id)).ended) return LOOK_MS;
  const release = row.release_id === null ? undefined : await deps.execution(tx, row, row.release_id);
  if (release?.succeeded) return await cleared(deps, tx, row);
  if (release && !release.ended) return LOOK_MS;
  const release_id = await deps.discard(tx, row);
  if (release_id === undefined) return await cleared(deps, tx, row);
  await noteRehearsal(tx, row.id, { release_id });
  return release ? AGAIN_MS : LOOK_MS;
}

async function cleared(deps: ProgressDeps, tx: Tx, row: RehearsalRow): Promise<undefined> {
  await deps.archive(tx, row);
  await noteRehearsal(tx, row.id, { cleared_at: tx.now, updated_at: tx.now });
  await recordRehearsal(tx, row, 'removed', null);
}
