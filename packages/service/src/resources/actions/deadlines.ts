import { enqueue } from '../../jobs/enqueue.ts';
import type { JobKind } from '../../jobs/job.ts';
import type { Storage, Tx } from '../../storage/storage.ts';
import { type ConnectedDaemon, findDaemon } from '../servers/connected-daemon.ts';
import { isFinal } from './lifecycle.ts';
import { type ExecutionRow, lockExecution, noteExecution } from './store.ts';

/** One that did not begin within this time is not begun any more. */
export const NEVER_STARTED_MS = 600_000;
/** A daemon ends a command itself when its time is over; this is how long it may take to do so and to say so. */
export const GRACE_MS = 30_000;
/** How long a daemon that is back may take to tell of what was sent to it before. */
export const DOUBT_MS = 60_000;
/** A server that stays away longer than this does not come back with a result. */
export const LONGEST_PAUSE_MS = 24 * 3_600_000;

export const DEADLINE = 'execution.deadline';

type Clock = Pick<ExecutionRow, 'deadline_at' | 'paused_at'>;

/** Has the deadline looked at at this time, or earlier. */
export const setAlarm = (tx: Tx, executionId: string, at: number): Promise<void> =>
  enqueue(tx, { kind: DEADLINE, key: executionId, payload: { execution_id: executionId }, runAt: at });

type Verdict =
  | { readonly again: number; readonly note?: Partial<Clock> }
  | { readonly end: 'expire' | 'fail'; readonly error: string; readonly outcome: 'known' | 'unknown' };

/** What a deadline that was set means now. */
export function judge(row: ExecutionRow, server: ConnectedDaemon | undefined, now: number): Verdict {
  if (row.status === 'pending') {
    if (now < row.deadline_at) return { again: row.deadline_at };
    return { end: 'expire', error: 'It was not begun in time.', outcome: 'known' };
  }
  // The clock stands still while the server is away: the daemon may have the result and brings it along.
  const away = server?.status === 'offline' || (row.paused_at !== null && server?.status !== 'online');
  if (away) {
    const paused_at = row.paused_at ?? pauseBegan(row, server, now);
    const again = paused_at + LONGEST_PAUSE_MS;
    if (now < again) return { again, note: { paused_at } };
  } else {
    const note = resumed(row, now);
    if (now < note.deadline_at) return { again: note.deadline_at, note };
  }
  if (row.status === 'running') return { end: 'expire', error: 'It took longer than its timeout.', outcome: 'unknown' };
  const late = now >= row.created_at + NEVER_STARTED_MS;
  const error = 'The connection was lost when it was handed over; whether it ran is not known.';
  return { end: late ? 'expire' : 'fail', error, outcome: 'unknown' };
}

const pauseBegan = (row: ExecutionRow, server: ConnectedDaemon | undefined, now: number): number =>
  Math.min(now, Math.max(server?.last_seen_at ?? 0, row.started_at ?? row.sent_at ?? 0));

/** When the pause is over, what was left of its time counts again. */
export function resumed({ deadline_at, paused_at }: Clock, now: number): Clock {
  if (paused_at === null) return { deadline_at, paused_at };
  // However little was left: a daemon that has just come back is given the time to tell what it has.
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

/** There is one for every execution, in the transaction that ordered it, so that none stays without an end. */
export const deadlineJob = ({ storage, end }: DeadlineDeps): JobKind => ({
  concurrency: 8,
  maxAttempts: Number.POSITIVE_INFINITY,
  run: ({ job, complete }) =>
    storage.write(async (tx) => {
      const { execution_id: id } = job.payload as { execution_id: string };
      const row = await lockExecution(tx, id);
      if (!row || isFinal(row.status)) return complete(tx);
      const verdict = judge(row, await findDaemon(tx, row.server_id), tx.now);
      if ('again' in verdict) {
        if (verdict.note) await noteExecution(tx, id, verdict.note);
        return complete(tx, { again: verdict.again });
      }
      const { end: move, ...rest } = verdict;
      await end(tx, row, { move, ...rest });
      return complete(tx);
    }),
});
