import { nameOf, type PresentItem, type WantedItem } from '@hortus/garden/items';
import type { FieldChange } from '@hortus/garden/plan';
import type { Problem } from '@hortus/garden/secret-places';

/** An item of the file with the requests of the API that create it or change what exists. */
export interface WantedRecord {
  readonly item: WantedItem;
  /** Body of the request that creates it. */
  readonly create: object;
  /** Body of the request that makes these changes. */
  update(changes: readonly FieldChange[]): object;
}

/** What the file wants, and what exists, of some kinds of items. */
export interface Compared {
  readonly wanted: readonly WantedRecord[];
  readonly present: readonly PresentItem[];
  readonly problems: readonly Problem[];
}

/** Records that gardens of the account describe. */
export interface Claims {
  /** Name of another garden that has the record. */
  readonly otherGarden: (kind: PresentItem['kind'], id: string) => string | undefined;
  /** Key that this garden gave the record. */
  readonly keyOf: (kind: PresentItem['kind'], id: string) => string | undefined;
}

/** Fields that stand in a file as they are, but that the API shows to no one: an address or a text may have a token inside. */
export const concealed: Readonly<Partial<Record<PresentItem['kind'], readonly string[]>>> = {
  channel: ['url', 'template'],
};

/** Copies secrets of the file over stored ones, so that they count as unchanged for a caller who may not compare. */
export function withoutComparison(wanted: readonly WantedRecord[], present: readonly PresentItem[]): PresentItem[] {
  const input = new Map(wanted.map(({ item }) => [nameOf(item), item]));
  return present.map((item) => {
    const { secrets = {}, fields = {} } = input.get(nameOf(item)) ?? {};
    const known = Object.keys(item.secrets).map((name) => [name, secrets[name] ?? item.secrets[name] ?? '']);
    const same = (concealed[item.kind] ?? []).map((name) => [name, fields[name] ?? null]);
    return { ...item, secrets: Object.fromEntries(known), fields: { ...item.fields, ...Object.fromEntries(same) } };
  });
}
