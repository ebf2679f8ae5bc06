import type { Log } from './log.ts';

/**
 * Wraps a listener of a server, socket or timer so that nothing it throws, or rejects with, leaves it: outside of a listener only
 * the end of the process waits. `failed` takes back what the listener was in the middle of, such as its socket.
 */
export type Guard = <This, Args extends unknown[]>(
  listener: (this: This, ...args: Args) => unknown,
  failed?: (...args: Args) => void,
) => (this: This, ...args: Args) => void;

/** Failures are bugs of ours, so they are logged as errors. */
export const guardWith =
  (log: Pick<Log, 'error'>): Guard =>
  (listener, failed) =>
    function (this, ...args) {
      const caught = (err: unknown) => {
        log.error({ err }, 'a listener failed');
        try {
          failed?.(...args);
        } catch (again) {
          log.error({ err: again }, 'a listener failed, and so did the clearing up after it');
        }
      };
      try {
        const result = listener.apply(this, args);
        if (result instanceof Promise) result.catch(caught);
      } catch (err) {
        caught(err);
      }
    };
