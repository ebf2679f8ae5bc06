/**
 * Wraps a listener or timer callback and passes its exceptions and rejections to `caught`. An uncaught error in a
 * listener would end the process.
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
