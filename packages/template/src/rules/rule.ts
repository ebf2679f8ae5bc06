import type { Canonical } from '../canonical/canonical-form.ts';
import type { Remark } from '../source/finding.ts';

/** Checks a spec that fits the schema. */
export type Rule = (spec: Canonical) => Iterable<Remark>;

/** Yields entries whose name an earlier entry has. */
export function* repeated<T>(
  items: readonly T[],
  nameOf: (item: T) => string,
): Generator<[index: number, name: string]> {
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    const name = nameOf(item);
    if (seen.has(name)) yield [index, name];
    seen.add(name);
  }
}
