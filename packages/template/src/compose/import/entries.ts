import { isMapping } from '../../schema/schema-check.ts';
import type { Path } from '../../source/finding.ts';
import { isScalarValue, scalarText } from './scalars.ts';

export interface Entry {
  key: string;
  /** Null if the file gives none. */
  value: unknown;
  path: Path;
}

/** Reads a mapping, or the equivalent list of `key=value` that Compose allows. */
export function entriesOf(value: unknown, path: Path, separator = '='): Entry[] {
  if (isMapping(value))
    return Object.entries(value).map(([key, inner]) => ({ key, value: inner, path: [...path, key] }));
  if (!Array.isArray(value)) return [];
  return value.flatMap((item, index): Entry[] => {
    const at = [...path, index];
    // Also accepts `- key: value` in a list, a common mistake with a clear meaning.
    if (isMapping(item)) return entriesOf(item, at, separator);
    if (!isScalarValue(item)) return [];
    const text = scalarText(item);
    const cut = text.indexOf(separator);
    const key = (cut === -1 ? text : text.slice(0, cut)).trim();
    // Not a usable key; guards against prototype pollution.
    if (key === '__proto__') return [];
    return [{ key, value: cut === -1 ? null : text.slice(cut + 1), path: at }];
  });
}

/** Reads a list, or a single value in place of a list. */
export function listOf(value: unknown, path: Path): { item: unknown; path: Path }[] {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) return [{ item: value, path }];
  return value.map((item, index) => ({ item, path: [...path, index] }));
}
