import { registryName } from '@hortus/template/notation/image-reference';
import type { Garden } from './format.ts';
import { type Item, nameOf } from './items.ts';
import { eachValue, referenceIn } from './references.ts';

/** A field whose value is a reference. */
export interface ReferencePlace extends Pick<Item, 'kind' | 'key'> {
  /** Name of the field of the item. */
  readonly field: string;
  /** Path in the file, such as `definitions.blog.inputs.SMTP_PASSWORD`. */
  readonly path: string;
}

const kinds = {
  definitions: 'definition',
  registries: 'registry',
  webhooks: 'webhook',
  channels: 'channel',
  rules: 'rule',
} as const;

/**
 * Leaves out every field whose value is a reference, and returns where they stand. For a garden whose
 * references are not resolved: a secret that is left out keeps its stored value.
 */
export function withoutReferences(garden: Garden): { garden: Garden; places: readonly ReferencePlace[] } {
  const copy = structuredClone(garden) as Record<string, unknown>;
  const places = new Map<string, ReferencePlace>();
  eachValue(garden, (value, path) => {
    if (referenceIn(value) === undefined) return;
    const [section, key = '', ...inside] = path.map(String);
    const kind = kinds[section as keyof typeof kinds] as Item['kind'] | undefined;
    // Headers of a channel are one secret, so they are left out together.
    const field = inside[0] === 'headers' ? ['headers'] : inside;
    const place = [String(section), key, ...field];
    remove(copy, place);
    if (kind === undefined) return;
    const named = { kind, key: kind === 'registry' ? registryName(key) : key, field: field.join('.') };
    places.set(`${nameOf(named)} ${named.field}`, { ...named, path: place.join('.') });
  });
  return { garden: copy as Garden, places: [...places.values()] };
}

function remove(record: Record<string, unknown>, path: readonly string[]): void {
  let holder: unknown = record;
  for (const part of path.slice(0, -1)) holder = (holder as Record<string, unknown> | undefined)?.[part];
  const last = path.at(-1);
  if (typeof holder === 'object' && holder !== null && last !== undefined)
    delete (holder as Record<string, unknown>)[last];
}
