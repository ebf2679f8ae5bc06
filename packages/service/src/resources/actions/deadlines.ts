import type { JobKind } from '../../jobs/job.ts';
import { rowJob } from '../../jobs/row-job.ts';
import { waker } from '../../jobs/wake.ts';
import type { Storage, Tx } from '../../storage/storage.ts';
import { type ConnectedDaemon, findDaemon } from '../servers/public.ts';
import { isFinal } from './lifecycle.ts';
import { type ExecutionRow, lockExecution, noteExecution } from './store.ts';

/** An execution that has not started within this time is given up. */
export const NEVER_STARTED_MS = 600_000;
/** A daemon enforces the timeout itself; this is the time it may take to do and report so. */
export const GRACE_MS = 30_000;
/** Time for a reconnected daemon to report what was sent to it before. */
export const DOUBT_MS = 60_000;
/** A server offline for longer is not expected to report a result. */
const MAX_PAUSE_MS = 24 * 3_600_000;

export const DEADLINE = 'execution.deadline';

type Clock = Pick<ExecutionRow, 'deadline_at' | 'paused_at'>;

/** Schedules a deadline check no later than `at`. */
export const setAlarm = waker(DEADLINE);

type Verdict =
  | { readonly again: number; readonly note?: Partial<Clock> }
  | { readonly end: 'expire' | 'fail'; readonly error: string; readonly outcome: 'known' | 'unknown' };

/** Decides what to do when a deadline check runs. */
function judge(row: ExecutionRow, server: ConnectedDaemon | undefined, now: number): Verdict {
  if (row.status === 'pending') {
    if (now < row.deadline_at) return { again: row.deadline_at };
    return { end: 'expire', error: 'The action did not start in time.', outcome: 'known' };
  }
  // Time offline does not count: the daemon may have the result and report it on reconnect.
  const away = server?.status === 'offline' || (row.paused_at !== null && server?.status !== 'online');
  if (away) {
    const paused_at = row.paused_at ?? pauseBegan(row, server, now);
    const again = paused_at + MAX_PAUSE_MS;
    if (now < again) return { again, note: { paused_at } };
  } else {
    const note = resumed(row, now);
    if (now < note.deadline_at) return { again: note.deadline_at, note };
  }
  if (row.status === 'running') return { end: 'expire', error: 'The action exceeded its timeout.', outcome: 'unknown' };
  const late = now >= row.created_at + NEVER_STARTED_MS;
  const error = 'The connection was lost while the action was sent; whether it ran is unknown.';
  return { end: late ? 'expire' : 'fail', error, outcome: 'unknown' };
}

const pauseBegan = (row: ExecutionRow, server: ConnectedDaemon | undefined, now: number): number =>
  Math.min(now, Math.max(server?.last_seen_at ?? 0, row.started_at ?? row.sent_at ?? 0));

/** Continues the deadline after a pause with the time that was left. */
export function resumed({ deadline_at, paused_at }: Clock, now: number): Clock {
  if (paused_at === null) return { deadline_at, paused_at };
  // At least DOUBT_MS, so that a reconnected daemon has time to report.
  return { deadline_at: Math.max(deadline_at + (now - paused_at), now + DOUBT_MS), paused_at: null };
}

export interface DeadlineDeps {
  readonly storage: Storage;
  readonly end: (
    tx: Tx,
    row: ExecutionRow,
    end: { move: 'expire' | 'fail'; error: string; outcome: 'known' | 'unknown' },
  ) => Promise<void>;
}

/** Enqueued in the transaction that orders an execution, so that every execution ends. */
export const deadlineJob = ({ storage, end }: DeadlineDeps): JobKind =>
  rowJob({
    storage,
    concurrency: 8,
    lock: lockExecution,
    isOver: ({ status }) => isFinal(status),
    async advance(tx, row) {
      const verdict = judge(row, await findDaemon(tx, row.server_id), tx.now);
      if ('again' in verdict) {
        if (verdict.note) await noteExecution(tx, row.id, verdict.note);
        return verdict.again;
      }
      const { end: move, ...rest } = verdict;
      await end(tx, row, { move, ...rest });
      return undefined;
    },
  });
