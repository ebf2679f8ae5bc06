/** Maximum nesting of a body or message. No field of the interface needs a quarter of it. */
export const MAX_LEVELS = 64;

/**
 * Tells whether a parsed JSON value is nested deeper. Checked before anything else walks the value: JSON, schemas and encryption walk it
 * by recursion and would overflow the stack.
 */
export function isTooDeep(value: unknown, levels = MAX_LEVELS): boolean {
  if (value === null || typeof value !== 'object') return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isTooDeep(item, levels - 1));
  for (const name in value) if (isTooDeep((value as Record<string, unknown>)[name], levels - 1)) return true;
  return false;
}
