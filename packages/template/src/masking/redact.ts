import { replaceAt } from '../schema/json-pointer.ts';

/**
 * Returns a copy with null at each pointer, for readers who may see the structure of a manifest but not its secrets.
 */
export function redact<T>(value: T, pointers: readonly string[]): T {
  const copy = structuredClone(value);
  for (const pointer of pointers) replaceAt(copy, pointer, () => null);
  return copy;
}
