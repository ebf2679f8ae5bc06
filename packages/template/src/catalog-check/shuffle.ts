/** Returns a copy with the keys of every mapping in random order; lists keep their order, which is significant. */
export function shuffled<T>(value: T, random: () => number): T {
  if (Array.isArray(value)) return value.map((item) => shuffled(item, random)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  for (let last = entries.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [entries[last], entries[other]] = [entries[other] as [string, unknown], entries[last] as [string, unknown]];
  }
  return Object.fromEntries(entries.map(([key, inner]) => [key, shuffled(inner, random)])) as T;
}
