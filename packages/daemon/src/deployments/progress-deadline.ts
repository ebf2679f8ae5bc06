import { guarded } from '../guard.ts';
import type { Log } from '../log.ts';

/** Aborts a rollout without progress. The service does too, but may be unreachable. */
export function progressDeadline(log: Log, ms: number, abort: () => void): { restart(): void; clear(): void } {
  const guardedEnd = guarded(log, abort);
  let timer = setTimeout(guardedEnd, ms);
  const clear = () => clearTimeout(timer);
  const restart = () => {
    clear();
    timer = setTimeout(guardedEnd, ms);
  };
  return { restart, clear };
}
