const SIZES: readonly [string, number][] = [
  ['g', 2 ** 30],
  ['m', 2 ** 20],
  ['k', 2 ** 10],
];

/** Bytes in the largest unit of Compose that they are a whole number of. */
export function composeSize(bytes: number): string {
  const [unit, size] = SIZES.find(([, one]) => bytes > 0 && bytes % one === 0) ?? ['b', 1];
  return `${bytes / size}${unit}`;
}

export function composeDuration(milliseconds: number): string {
  return milliseconds % 1000 === 0 ? `${milliseconds / 1000}s` : `${milliseconds}ms`;
}
