import type { PresentItem, WantedItem } from '@hortus/garden/items';
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

/** Copies secrets of the file over stored ones, so that they count as unchanged for a caller who may not compare. */
export function withoutComparison(wanted: readonly WantedRecord[], present: readonly PresentItem[]): PresentItem[] {
  const given = new Map(wanted.map(({ item }) => [`${item.kind} ${item.key}`, item.secrets]));
  return present.map((one) => {
    const secrets = given.get(`${one.kind} ${one.key}`) ?? {};
    const known = Object.keys(one.secrets).map((name) => [name, secrets[name] ?? one.secrets[name] ?? '']);
    return { ...one, secrets: Object.fromEntries(known) };
  });
}
