import type { Change } from '@hortus/contract/resources/upgrades';
import { canonicalJson } from '../canonical/canonical-json.ts';

type Kind = Pick<Change, 'area' | 'component'>;
type Named = Readonly<Record<string, unknown>>;

/** Returns the differences between two sets of named values, by name. */
export function differences(kind: Kind, from: Named, to: Named): Change[] {
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])].sort();
  return names.flatMap((name) => {
    const [before, after] = [shown(own(from, name)), shown(own(to, name))];
    if (before === after) return [];
    const change = before === null ? 'added' : after === null ? 'removed' : 'changed';
    return [{ ...kind, name, change, from: before, to: after }];
  });
}

const own = (named: Named, name: string): unknown => (Object.hasOwn(named, name) ? named[name] : undefined);

const shown = (value: unknown): string | null => {
  if (value === undefined) return null;
  return typeof value === 'string' ? value : canonicalJson(value);
};

/** Converts a list to named values, so that their order does not matter. The first of equal names wins. */
export function named<Item>(items: readonly Item[], nameOf: (item: Item) => string): Record<string, Item> {
  const all: Record<string, Item> = {};
  for (const item of items) {
    const name = nameOf(item);
    if (!Object.hasOwn(all, name)) all[name] = item;
  }
  return all;
}
