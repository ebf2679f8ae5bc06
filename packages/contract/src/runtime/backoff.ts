export interface BackoffTimes {
  readonly firstMs: number;
  readonly maxMs: number;
}

/**
 * Returns the pause after the given number of failures, at least one. It doubles with each failure. Half of it is random, so that
 * callers that failed together do not retry together.
 */
export function backoffMs(
  failures: number,
  { firstMs, maxMs }: BackoffTimes,
  random: () => number = Math.random,
): number {
  // The bound keeps the power finite.
  const whole = Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 40));
  return Math.round(whole * (0.5 + random() / 2));
}
