import { setTimeout as sleep } from 'node:timers/promises';

export type UntilOptions = {
  /** What is awaited, for the error message; a function is called at the timeout to show the final state. */
  describe: string | (() => string);
  /** Milliseconds before giving up. It only ends a hang: on a busy machine everything takes longer. */
  within?: number;
  /** Milliseconds between two checks; by default the interval grows with the elapsed time. */
  every?: number;
};

type Falsy = false | 0 | '' | null | undefined;

/**
 * Waits until `condition` returns a truthy value and returns it. A condition that throws counts as not met, because its
 * subject may still be starting. The last error becomes the cause of the failure.
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  { describe, within = 60_000, every }: UntilOptions,
): Promise<Exclude<T, Falsy>> {
  const begun = performance.now();
  const deadline = begun + within;
  let cause: unknown;
  for (;;) {
    // The check that began after the deadline is the last one: a busy machine may reach the deadline within a check or a
    // sleep, and must not fail a condition that holds by then.
    const last = performance.now() >= deadline;
    try {
      const result = await condition();
      if (result) return result as Exclude<T, Falsy>;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    if (last) {
      const what = typeof describe === 'string' ? describe : describe();
      const why = cause instanceof Error ? ` (${cause.message})` : '';
      throw new Error(`Waited ${within} ms in vain for ${what}${why}`, { cause });
    }
    await sleep(every ?? pauseAfter(performance.now() - begun));
  }
}

/**
 * Pauses for a tenth of the elapsed time, which bounds the delay of a long wait. Checks are often requests that cost
 * several milliseconds of processor, which the subject of the wait needs on a busy machine.
 */
const pauseAfter = (waited: number): number => Math.min(100, Math.max(10, waited / 10));
