import type { Canonical } from '../canonical-form.ts';
import type { Remark } from '../finding.ts';

/** Looks at a spec that fits the schema and says what is wrong with it nevertheless. */
export type Rule = (spec: Canonical) => Iterable<Remark>;

/** Entries whose name another one before them has already. */
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
