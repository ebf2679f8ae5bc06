import type { Path } from '../finding.ts';
import { isMapping } from '../schema-check.ts';
import { isScalarValue, scalarText } from './scalars.ts';

export interface Entry {
  key: string;
  /** Null where the file gives none. */
  value: unknown;
  path: Path;
}

/** Compose writes most mappings also as lists of `key=value`. */
export function entriesOf(value: unknown, path: Path, separator = '='): Entry[] {
  if (isMapping(value))
    return Object.entries(value).map(([key, inner]) => ({ key, value: inner, path: [...path, key] }));
  if (!Array.isArray(value)) return [];
  return value.flatMap((item, index): Entry[] => {
    const at = [...path, index];
    // A list whose entries were written as `- key: value` is a mistake that is easy to read.
    if (isMapping(item)) return entriesOf(item, at, separator);
    if (!isScalarValue(item)) return [];
    const text = scalarText(item);
    const cut = text.indexOf(separator);
    const key = (cut === -1 ? text : text.slice(0, cut)).trim();
    // No key of a mapping can be called that, and nobody means it.
    if (key === '__proto__') return [];
    return [{ key, value: cut === -1 ? null : text.slice(cut + 1), path: at }];
  });
}

/** A list, or the one value that stands for a list of one. */
export function listOf(value: unknown, path: Path): { item: unknown; path: Path }[] {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) return [{ item: value, path }];
  return value.map((item, index) => ({ item, path: [...path, index] }));
}
