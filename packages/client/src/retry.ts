import { backoffMs } from '@hortus/contract/runtime/backoff';
import { guardedBy } from '@hortus/contract/runtime/guarded-by';
import { ApiProblem } from './problem.ts';

export interface RetryPolicy {
  /** Total attempts, including the first. */
  readonly attempts: number;
  /** Pause before the second attempt; doubles with each attempt. */
  readonly baseMs: number;
  readonly maxMs: number;
}

/** Retry policy that the published interface recommends. */
export const defaultRetries: RetryPolicy = { attempts: 3, baseMs: 250, maxMs: 60_000 };

/** Seconds to wait after a 429 without Retry-After. */
const unsaidRetryAfter = 60;

const worthRetrying = (problem: ApiProblem): boolean =>
  problem.code === 'NETWORK' || problem.status === 429 || problem.status >= 500;

/** Returns the pause in milliseconds after a failed attempt, or undefined to give up. */
export function pauseAfter(
  problem: ApiProblem,
  attempt: number,
  policy: RetryPolicy,
  random: () => number = Math.random,
): number | undefined {
  if (attempt >= policy.attempts || !worthRetrying(problem)) return undefined;
  const backoff = backoffMs(attempt, { firstMs: policy.baseMs, maxMs: policy.maxMs }, random);
  if (problem.status !== 429 && problem.retryAfter === undefined) return backoff;
  const asked = (problem.retryAfter ?? unsaidRetryAfter) * 1000;
  // Retrying earlier than requested wastes an attempt; give up when the requested pause exceeds the policy.
  return asked > policy.maxMs ? undefined : asked + backoff / 2;
}

export function sleep(ms: number, signal?: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const aborted = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const awake = () => {
      signal?.removeEventListener('abort', aborted);
      resolve();
    };
    const timer = setTimeout(guardedBy(reject, awake), ms);
    if (signal?.aborted) aborted();
    else signal?.addEventListener('abort', aborted, { once: true });
  });
}

/** Retries until success, a permanent failure or the attempt limit. */
export async function withRetries<Result>(
  attempt: () => Promise<Result>,
  policy: RetryPolicy,
  signal?: AbortSignal | undefined,
): Promise<Result> {
  for (let count = 1; ; count++) {
    try {
      return await attempt();
    } catch (error) {
      const pause = error instanceof ApiProblem ? pauseAfter(error, count, policy) : undefined;
      if (pause === undefined) throw error;
      await sleep(pause, signal);
    }
  }
}
