import { guardedBy } from '@hortus/contract/runtime/guarded-by';

export interface Attempts<T> {
  /** How long an attempt runs alone, before the next one begins beside it. */
  readonly aloneMs: number;
  /** Gets the results of attempts that succeed after the first. */
  discard(late: T): void;
}

/**
 * Returns the result of the first attempt that succeeds. The next attempt begins when one has failed, or is late: a server that does
 * not answer must not delay the others by its whole time limit. Rejects with all errors, in the order in which they came.
 */
export function firstSuccess<T>(attempts: readonly (() => Promise<T>)[], options: Attempts<T>): Promise<T> {
  const outcome = Promise.withResolvers<T>();
  const failures: unknown[] = [];
  let next = 0;
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;

  const succeeded = (value: T) => {
    if (isOver) return options.discard(value);
    isOver = true;
    clearTimeout(timer);
    outcome.resolve(value);
  };
  const failed = (error: unknown) => {
    failures.push(error);
    if (failures.length === attempts.length) outcome.reject(new AggregateError(failures));
    else if (!isOver) begin();
  };
  const begin = () => {
    clearTimeout(timer);
    const attempt = attempts[next++];
    if (attempt === undefined) return;
    if (next < attempts.length) timer = setTimeout(guardedBy(outcome.reject, begin), options.aloneMs);
    attempt().then(succeeded, failed);
  };
  begin();
  return outcome.promise;
}
