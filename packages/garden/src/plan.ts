import { type GardenAction, gardenItemKinds } from '@hortus/contract/resources/garden-records';
import { canonicalJson } from '@hortus/template/canonical/canonical-json';
import { digestOf, noPause, type Pause } from './digest.ts';
import { type FieldValue, type Item, nameOf, type PresentItem, type WantedItem } from './items.ts';
import type { Problem } from './secret-places.ts';

/** Difference of one field. Of a secret only that it is set or changed, never a value. */
export interface FieldChange {
  readonly field: string;
  readonly change: 'added' | 'changed' | 'removed';
  readonly before?: FieldValue;
  readonly after?: FieldValue;
  readonly secret?: true;
}

export interface Change extends Pick<Item, 'kind' | 'key'> {
  readonly action: GardenAction;
  /** Id of the present record; null if it is to be created. */
  readonly id: string | null;
  readonly fields: readonly FieldChange[];
  /** Names of the items that must be applied before it. */
  readonly needs: readonly string[];
}

export interface GardenPlan {
  /** In an order in which each change comes after those that it needs; removals are last. */
  readonly changes: readonly Change[];
  /** Reasons for which the plan cannot be applied. */
  readonly problems: readonly Problem[];
}

export interface PlanOptions {
  /** Archive or remove what this garden made and what left the file. */
  readonly prune: boolean;
  readonly pause?: Pause;
}

/**
 * Compares a garden with what exists. `owned` has the names (`nameOf`) of the items that this garden made: only these
 * may be pruned. Items that are present but neither in the file nor owned are ignored.
 */
export async function planGarden(
  wanted: readonly WantedItem[],
  present: readonly PresentItem[],
  owned: ReadonlySet<string>,
  { prune, pause = noPause }: PlanOptions,
): Promise<GardenPlan> {
  const existing = new Map(present.map((item) => [nameOf(item), item]));
  const inFile = new Set(wanted.map(nameOf));
  const problems: Problem[] = [];
  const changes: Change[] = [];
  for (const item of sorted(wanted)) {
    changes.push(changeOf(item, existing.get(nameOf(item)), problems));
    await pause();
  }
  const left = present.filter((item) => prune && owned.has(nameOf(item)) && !inFile.has(nameOf(item)));
  return { changes: [...changes, ...removals(left)], problems };
}

function changeOf(wanted: WantedItem, present: PresentItem | undefined, problems: Problem[]): Change {
  const { kind, key, needs } = wanted;
  if (!present) return { kind, key, action: 'create', id: null, fields: differences(wanted, blank), needs };
  const fields = differences(wanted, present);
  for (const { field } of fields) {
    const instead = present.fixed?.[field];
    if (instead !== undefined) problems.push({ field: `${kind}s.${key}.${field}`, message: instead });
  }
  const action = fields.length > 0 ? 'update' : present.settled ? 'unchanged' : 'deploy';
  return { kind, key, action, id: present.id, fields, needs };
}

const blank = { fields: {}, secrets: {} };

function differences(wanted: WantedItem, present: Pick<Item, 'fields' | 'secrets'>): FieldChange[] {
  const keeps = new Set(wanted.keeps);
  const hidden = new Set(wanted.hidden);
  const names = new Set([...Object.keys(wanted.fields), ...Object.keys(present.fields)]);
  const found: FieldChange[] = [];
  for (const field of [...names].sort()) {
    const before = fieldOf(present.fields, field);
    const after = fieldOf(wanted.fields, field);
    if (isEqual(before, after) || (after === null && keeps.has(field))) continue;
    const change = before === null ? 'added' : after === null ? 'removed' : 'changed';
    if (hidden.has(field)) found.push({ field, change, secret: true });
    else found.push({ field, change, ...(before !== null && { before }), ...(after !== null && { after }) });
  }
  for (const field of Object.keys(wanted.secrets).sort()) {
    if (!Object.hasOwn(present.secrets, field)) found.push({ field, change: 'added', secret: true });
    else if (present.secrets[field] !== wanted.secrets[field]) found.push({ field, change: 'changed', secret: true });
  }
  return found;
}

/** Most values are equal texts, so lists are serialized only where they differ. */
const isEqual = (a: FieldValue, b: FieldValue): boolean => a === b || canonicalJson(a) === canonicalJson(b);

const fieldOf = (fields: Item['fields'], name: string): FieldValue =>
  (Object.hasOwn(fields, name) ? fields[name] : null) ?? null;

/** Sorts by kind, then by name, then so that needs come first. */
function sorted(wanted: readonly WantedItem[]): WantedItem[] {
  const byName = new Map(wanted.map((item) => [nameOf(item), item]));
  const ranked = [...wanted].sort(
    (a, b) => gardenItemKinds.indexOf(a.kind) - gardenItemKinds.indexOf(b.kind) || (a.key < b.key ? -1 : 1),
  );
  const order = new Set<WantedItem>();
  const entered = new Set<WantedItem>();
  const enter = (item: WantedItem) => {
    if (entered.has(item)) return;
    entered.add(item);
    for (const need of item.needs) {
      const needed = byName.get(need);
      if (needed) enter(needed);
    }
    order.add(item);
  };
  for (const item of ranked) enter(item);
  return [...order];
}

/** Removes definitions first and the things that they may use after them. */
const removals = (left: readonly PresentItem[]): Change[] =>
  [...left]
    .sort((a, b) => gardenItemKinds.indexOf(b.kind) - gardenItemKinds.indexOf(a.kind) || (a.key < b.key ? -1 : 1))
    .map(({ kind, key, id }) => ({
      kind,
      key,
      action: kind === 'definition' ? 'archive' : 'remove',
      id,
      fields: [],
      needs: kind === 'definition' ? left.filter((other) => isBoundTo(other, key)).map(nameOf) : [],
    }));

/** Whether a definition is bound to the one with this uid, which can be archived only after it. */
const isBoundTo = ({ kind, fields }: PresentItem, uid: string): boolean =>
  kind === 'definition' &&
  Object.entries(fields).some(([field, value]) => field.startsWith('bindings.') && value === `instance:${uid}`);

/** Changes that something must be done for. */
export const toDo = ({ changes }: Pick<GardenPlan, 'changes'>): Change[] =>
  changes.filter(({ action }) => action !== 'unchanged');

/**
 * Hash of what a plan would do, with the ids of present records. Changes name secrets only as "set" or "changed", so
 * `sealed` stands for their values: a keyed hash of the requests, from which they cannot be guessed.
 */
export const hashOf = async (
  name: string,
  plan: Pick<GardenPlan, 'changes'>,
  sealed: string,
  pause?: Pause,
): Promise<string> => `sha256:${await digestOf([name, sealed, ...toDo(plan)], pause)}`;
