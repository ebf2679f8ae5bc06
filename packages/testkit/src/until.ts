import { setTimeout as sleep } from 'node:timers/promises';

export type UntilOptions = {
  /** What is waited for, as it should read in the error; a function is called when time is up, to show the last state. */
  describe: string | (() => string);
  /** Milliseconds before giving up. It ends a hang and measures nothing: on a busy machine everything takes its time. */
  within?: number;
  /** Milliseconds between two looks; unless given they are few at first, and more the longer it takes. */
  every?: number;
};

type Falsy = false | 0 | '' | null | undefined;

/**
 * Waits until `condition` gives something truthy and returns it. A condition that throws is not met yet: the thing it asks may
 * still be starting. The last error becomes the cause of the failure.
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  { describe, within = 60_000, every }: UntilOptions,
): Promise<Exclude<T, Falsy>> {
  const begun = performance.now();
  const deadline = begun + within;
  let cause: unknown;
  for (;;) {
    try {
      const result = await condition();
      if (result) return result as Exclude<T, Falsy>;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    // The condition is looked at once more after the last sleep, so a busy machine does not fail a condition that holds.
    if (performance.now() >= deadline) {
      const what = typeof describe === 'string' ? describe : describe();
      const why = cause instanceof Error ? ` (${cause.message})` : '';
      throw new Error(`Waited ${within} ms in vain for ${what}${why}`, { cause });
    }
    await sleep(every ?? pauseAfter(performance.now() - begun));
  }
}

/** A look often costs more than a millisecond, here and where it goes; of a wait that lasts, a small part is lost at its end. */
const pauseAfter = (waited: number): number => Math.min(50, Math.max(10, waited / 25));
