import { setImmediate } from 'node:timers/promises';

/** Short enough for several such requests at the same time. */
const MAX_MS = 8;

/**
 * Makes a function for loops whose length a caller chose: awaited after each step, it lets the event loop serve others
 * whenever the steps have taken a few milliseconds.
 */
export function pausing(maxMs = MAX_MS): () => Promise<void> | undefined {
  let since = performance.now();
  const turn = async () => {
    await setImmediate();
    since = performance.now();
  };
  return () => (performance.now() - since < maxMs ? undefined : turn());
}
