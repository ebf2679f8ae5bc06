import type { GardenItemKind } from '@hortus/contract/resources/garden-records';

/** A plain value of a field. */
export type FieldValue = string | number | boolean | null | readonly string[];

/** One thing of a garden: flat fields, so that every kind is compared in the same way. */
export interface Item {
  readonly kind: GardenItemKind;
  /** Unique within its kind: a uid, a host, a name. */
  readonly key: string;
  /** Null means absent. */
  readonly fields: Readonly<Record<string, FieldValue>>;
  /** Values that must not be shown. An omitted one keeps what is stored. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** An item of the file. */
export interface WantedItem extends Item {
  /** Names of the items that must be applied before it, as `nameOf` makes them. */
  readonly needs: readonly string[];
  /** Fields that keep their present value if the file leaves them out. */
  readonly keeps?: readonly string[];
  /** Fields whose values come from outside the file and are not shown, such as those of variables. */
  readonly hidden?: readonly string[];
}

/** An item that exists. */
export interface PresentItem extends Item {
  readonly id: string;
  /** Fields that cannot change once it exists, each with what to do instead. */
  readonly fixed?: Readonly<Record<string, string>>;
  /** Whether what it describes also runs; true for kinds that do not run. */
  readonly settled: boolean;
}

/** Name of an item among all kinds, such as `definition blog`. */
export const nameOf = ({ kind, key }: Pick<Item, 'kind' | 'key'>): string => `${kind} ${key}`;
