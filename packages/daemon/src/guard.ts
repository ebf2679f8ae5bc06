import type { Log } from './log.ts';

/**
 * Wraps a listener of a socket or timer so that nothing it throws, or rejects with, leaves it: outside of a listener only the end of
 * the daemon waits.
 */
export const guarded =
  <Args extends unknown[]>(log: Pick<Log, 'error'>, listener: (...args: Args) => unknown) =>
  (...args: Args): void => {
    const caught = (error: unknown) => log.error('a listener failed', { error });
    try {
      const result = listener(...args);
      if (result instanceof Promise) result.catch(caught);
    } catch (error) {
      caught(error);
    }
  };
