import { type BackoffTimes, backoffMs } from '@hortus/contract/runtime/backoff';

/** Concurrent requests per receiver, across replicas: each receiver has one job, run by one replica. */
const AT_ONCE = 4;
/** After this many, the job of a receiver is queued again behind those of other receivers. */
export const IN_ONE_RUN = 40;
export const RESPONSE_TIMEOUT_MS = 10_000;
export const GIVE_UP_AFTER_MS = 24 * 3_600_000;
const retries: BackoffTimes = { firstMs: 5_000, maxMs: 3_600_000 };

/** Answer of a receiver: a status, or a short reason why there is none, without any content of the request. */
export type Reply = { readonly durationMs: number } & (
  | { readonly status: number; readonly error: null }
  | { readonly status: null; readonly error: string }
);

/** Columns of a delivery that an attempt writes. */
export interface Attempt {
  readonly id: string;
  readonly status: 'pending' | 'delivered' | 'dead';
  readonly attempts: number;
  readonly response_code: number | null;
  readonly error: string | null;
  readonly duration_ms: number | null;
  readonly next_attempt_at: number | null;
  readonly delivered_at: number | null;
}

/** Returns the columns of a delivery before its first attempt. */
export const notYetSent = (now: number) =>
  ({
    status: 'pending',
    attempts: 0,
    response_code: null,
    error: null,
    duration_ms: null,
    next_attempt_at: now,
    delivered_at: null,
  }) as const;

export interface Attempted {
  readonly id: string;
  readonly attempts: number;
  readonly created_at: number;
}

/** Decides the outcome of an attempt. */
export function outcomeOf(delivery: Attempted, reply: Reply, at: number): Attempt {
  const attempts = delivery.attempts + 1;
  const shared = { id: delivery.id, attempts, response_code: reply.status, duration_ms: reply.durationMs };
  if (reply.status !== null && reply.status >= 200 && reply.status < 300) {
    return { ...shared, status: 'delivered', error: null, next_attempt_at: null, delivered_at: at };
  }
  const error = reply.error ?? `the receiver answered ${reply.status}`;
  const end = delivery.created_at + GIVE_UP_AFTER_MS;
  if (at >= end) return { ...shared, status: 'dead', error, next_attempt_at: null, delivered_at: null };
  // The last attempt is at exactly 24 hours.
  const next_attempt_at = Math.min(at + backoffMs(attempts, retries), end);
  return { ...shared, status: 'pending', error, next_attempt_at, delivered_at: null };
}

/**
 * Sends due deliveries to one receiver, a few at once. After a failure it skips the rest, so that a failing receiver
 * frees its slot soon. `attempt` returns whether the receiver accepted.
 */
export async function sendAll<Due>(due: readonly Due[], attempt: (delivery: Due) => Promise<boolean>): Promise<void> {
  const waiting = [...due];
  let well = true;
  const sender = async () => {
    for (let next = waiting.shift(); next && well; next = waiting.shift()) well = (await attempt(next)) && well;
  };
  // Wait for all senders before the job is released, even if one threw.
  const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, sender));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
