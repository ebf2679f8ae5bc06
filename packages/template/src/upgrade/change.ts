import { canonicalJson } from '../canonical-json.ts';

export const changeAreas = [
  'application',
  'component',
  'image',
  'env',
  'volume',
  'port',
  'file',
  'setting',
  'route',
  'secret',
  'input',
  'permission',
] as const;

/** One thing that is different in the newer template. Texts are the template's own, before anything is filled in. */
export interface Change {
  readonly area: (typeof changeAreas)[number];
  /** Null for what belongs to the template as a whole. */
  readonly component: string | null;
  readonly name: string;
  readonly change: 'added' | 'removed' | 'changed';
  /** As it is said in the template: a text, or the JSON of more than that. Null where there is none. */
  readonly from: string | null;
  readonly to: string | null;
}

type Kind = Pick<Change, 'area' | 'component'>;
type Named = Readonly<Record<string, unknown>>;

/** What two sets of named things differ in, by name. */
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

/** A list as things with names, so that their order is no difference. Of the same name the first counts. */
export function named<Item>(items: readonly Item[], nameOf: (item: Item) => string): Record<string, Item> {
  const all: Record<string, Item> = {};
  for (const item of items) {
    const name = nameOf(item);
    if (!Object.hasOwn(all, name)) all[name] = item;
  }
  return all;
}
