import { replaceAt } from './json-pointer.ts';

/** A copy with null wherever a pointer leads; for readers who may see the shape of a manifest and not its secrets. */
export function redact<T>(value: T, pointers: readonly string[]): T {
  const copy = structuredClone(value);
  for (const pointer of pointers) replaceAt(copy, pointer, () => null);
  return copy;
}
