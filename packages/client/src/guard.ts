/**
 * Wraps a listener, or the callback of a timer, so that what it throws or rejects with goes to `caught`. Nothing else can catch it: an
 * error that leaves a listener ends the process.
 */
export const guardedBy =
  <Args extends unknown[]>(caught: (error: Error) => void, listener: (...args: Args) => unknown) =>
  (...args: Args): void => {
    try {
      const result = listener(...args);
      if (result instanceof Promise) result.catch(caught);
    } catch (error) {
      caught(error as Error);
    }
  };
