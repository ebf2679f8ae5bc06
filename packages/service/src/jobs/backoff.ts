export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** Doubles with each attempt. Half of it is random, so that jobs that failed together are not retried together. */
export function backoffMs(
  attempts: number,
  { firstMs, longestMs }: Backoff,
  random: () => number = Math.random,
): number {
  // 2^40 of any delay exceeds every limit; the bound avoids infinity.
  const full = Math.min(longestMs, firstMs * 2 ** Math.min(attempts - 1, 40));
  return Math.round(full * (0.5 + random() / 2));
}
