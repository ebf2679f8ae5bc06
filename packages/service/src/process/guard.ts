import type { Log } from './log.ts';

/**
 * Wraps a listener of a server or socket, or the callback of a timer, so that what it throws or rejects with is logged. Nothing else can
 * catch it: an error that leaves a listener ends the process. `failed` cleans up, for example closes the socket.
 */
export type Guard = <This, Args extends unknown[]>(
  listener: (this: This, ...args: Args) => unknown,
  failed?: (...args: Args) => void,
) => (this: This, ...args: Args) => void;

/** Failures are bugs of the service, so they are logged as errors. */
export const guardWith =
  (log: Pick<Log, 'error'>): Guard =>
  (listener, failed) =>
    function (this, ...args) {
      const caught = (err: unknown) => {
        log.error({ err }, 'a listener failed');
        try {
          failed?.(...args);
        } catch (again) {
          log.error({ err: again }, 'the cleanup after a failed listener failed');
        }
      };
      try {
        const result = listener.apply(this, args);
        if (result instanceof Promise) result.catch(caught);
      } catch (err) {
        caught(err);
      }
    };
