import type { TSchema } from 'typebox';
import { branchFor, isMapping, type Schema, schemaOfKey } from './schema-check.ts';

/** Returns the value with all defaults of its schema. */
export function withDefaults(schema: TSchema, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const branch = branchFor(schema as Schema, value) ?? (schema as Schema);
  if (Array.isArray(value)) {
    const { items } = branch;
    return items === undefined ? value : value.map((item) => withDefaults(items, item));
  }
  if (!isMapping(value)) return value;
  const filled: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    const innerSchema = schemaOfKey(branch, key);
    filled[key] = innerSchema === undefined ? inner : withDefaults(innerSchema, inner);
  }
  for (const [key, inner] of Object.entries(branch.properties ?? {})) {
    if (!Object.hasOwn(filled, key) && inner.default !== undefined) {
      filled[key] = withDefaults(inner, structuredClone(inner.default));
    }
  }
  return filled;
}
