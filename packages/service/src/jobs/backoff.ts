export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** Doubles with each attempt. Half of it is left to chance, so that what failed together does not return together. */
export function backoffMs(
  attempts: number,
  { firstMs, longestMs }: Backoff,
  random: () => number = Math.random,
): number {
  // 2^40 of anything is over every limit; the bound keeps the power from becoming infinite.
  const full = Math.min(longestMs, firstMs * 2 ** Math.min(attempts - 1, 40));
  return Math.round(full * (0.5 + random() / 2));
}
