const SIZES: readonly [string, number][] = [
  ['g', 2 ** 30],
  ['m', 2 ** 20],
  ['k', 2 ** 10],
];

/** Formats bytes in the largest Compose unit that divides them. */
export function composeSize(bytes: number): string {
  const [unit, size] = SIZES.find(([, number]) => bytes > 0 && bytes % number === 0) ?? ['b', 1];
  return `${bytes / size}${unit}`;
}

export function composeDuration(milliseconds: number): string {
  return milliseconds % 1000 === 0 ? `${milliseconds / 1000}s` : `${milliseconds}ms`;
}
