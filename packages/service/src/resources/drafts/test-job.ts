import { enqueue } from '../../jobs/enqueue.ts';
import type { JobKind } from '../../jobs/job.ts';
import type { EventSubscriber } from '../../outbox/dispatcher.ts';
import { endedIn } from '../../outbox/ended.ts';
import { transition } from '../../state/transition.ts';
import type { Queries, Storage, Tx } from '../../storage/storage.ts';
import { lockTest, noteTest, type TestRow, testsWaitingFor } from './store.ts';
import { recordTest, TEST, testLifecycle } from './test-lifecycle.ts';

/** State of an ordered deployment or execution. */
export interface Standing {
  readonly ended: boolean;
  readonly succeeded: boolean;
  readonly error: string | null;
  readonly output?: string | null;
}

export interface TestJobDeps {
  readonly storage: Storage;
  readonly deployment: (queries: Queries, row: TestRow) => Promise<Standing>;
  readonly execution: (queries: Queries, row: TestRow, id: string) => Promise<Standing>;
  readonly hasServer: (queries: Queries, row: TestRow) => Promise<boolean>;
  /** Orders the smoke test; returns the execution id. */
  readonly smoke: (tx: Tx, row: TestRow) => Promise<string>;
  readonly cancel: (tx: Tx, row: TestRow) => Promise<void>;
  /** Orders the removal of everything deployed; undefined if there is nothing. */
  readonly discard: (tx: Tx, row: TestRow) => Promise<string | undefined>;
  /** Archives the definition of the test. */
  readonly archive: (tx: Tx, row: TestRow) => Promise<void>;
}

/** Pause between attempts to clean up. */
const AGAIN_MS = 60_000;
/** Fallback poll; normally the end of the awaited work wakes the job. */
const LOOK_MS = 600_000;

/**
 * Runs a deploy test, one step per transaction, so that it can be interrupted anywhere: the row records its progress.
 * The job is done only when nothing of the test is left on the server, whether it passed or not.
 */
export const testJob = (deps: TestJobDeps): JobKind => ({
  maxAttempts: Number.POSITIVE_INFINITY,
  run: ({ job, complete }) => {
    const { test_id } = job.payload as { test_id: string };
    return deps.storage.write(async (tx) => {
      const row = await lockTest(tx, test_id);
      const wait = row && row.cleared_at === null ? await advance(deps, tx, row) : undefined;
      return complete(tx, wait === undefined ? 'done' : { again: tx.now + wait });
    });
  },
});

/** Wakes the tests that wait for the deployments and executions that ended. */
export const wakeTests: EventSubscriber = async (tx, events) => {
  const ended = await endedIn(tx, events);
  if (ended.length === 0) return;
  for (const { id } of await testsWaitingFor(tx, ended))
    await enqueue(tx, { kind: TEST, key: id, payload: { test_id: id } });
};

/** Returns the delay until the next check; undefined when the test is over. */
async function advance(deps: TestJobDeps, tx: Tx, row: TestRow): Promise<number | undefined> {
  const { status } = row;
  if (status === 'passed' || status === 'failed') return await clear(deps, tx, row);
  if (!(await deps.hasServer(tx, row)))
    return await conclude(tx, row, { reason: 'server_removed', error: 'The server of this test has been removed.' });
  const stands =
    status === 'deploying' || row.smoke_id === null
      ? await deps.deployment(tx, row)
      : await deps.execution(tx, row, row.smoke_id);
  if (!stands.ended) {
    if (tx.now < row.deadline_at) return row.deadline_at - tx.now;
    await deps.cancel(tx, row);
    return await conclude(tx, row, {
      reason: 'timeout',
      error: `The test did not finish within 30 minutes (${status}).`,
    });
  }
  const { error, output = null } = stands;
  if (status === 'testing')
    return await conclude(tx, row, stands.succeeded ? { output } : { reason: 'smoke', error, output });
  if (!stands.succeeded) return await conclude(tx, row, { reason: 'deployment', error });
  const smoke_id = await deps.smoke(tx, row);
  await transition(tx, testLifecycle, row, 'test', { actor: null, set: { smoke_id } });
  return LOOK_MS;
}

type Verdict = Partial<Pick<TestRow, 'reason' | 'error' | 'output'>>;

async function conclude(tx: Tx, row: TestRow, verdict: Verdict): Promise<number> {
  const move = verdict.reason === undefined ? 'pass' : 'fail';
  const set = { ...verdict, finished_at: tx.now };
  await recordTest(tx, await transition(tx, testLifecycle, row, move, { actor: null, set }), null);
  return 0;
}

async function clear(deps: TestJobDeps, tx: Tx, row: TestRow): Promise<number | undefined> {
  if (!(await deps.hasServer(tx, row))) return await cleared(deps, tx, row);
  // A cancelled deployment may still be creating what is to be removed.
  if (!(await deps.deployment(tx, row)).ended) return LOOK_MS;
  const release = row.release_id === null ? undefined : await deps.execution(tx, row, row.release_id);
  if (release?.succeeded) return await cleared(deps, tx, row);
  if (release && !release.ended) return LOOK_MS;
  const release_id = await deps.discard(tx, row);
  if (release_id === undefined) return await cleared(deps, tx, row);
  await noteTest(tx, row.id, { release_id });
  return release ? AGAIN_MS : LOOK_MS;
}

async function cleared(deps: TestJobDeps, tx: Tx, row: TestRow): Promise<undefined> {
  await deps.archive(tx, row);
  await noteTest(tx, row.id, { cleared_at: tx.now });
}
