/** Levels of objects and lists in what a caller sends. No field of the interface needs a quarter of them. */
export const MOST_LEVELS = 64;

/**
 * Whether a value that was read from JSON is nested deeper than that. Asked of everything from outside before anything walks it:
 * JSON itself, schemas and encryption do so by recursion, and would run out of stack.
 */
export function isTooDeep(value: unknown, levels = MOST_LEVELS): boolean {
  if (value === null || typeof value !== 'object') return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isTooDeep(item, levels - 1));
  for (const name in value) if (isTooDeep((value as Record<string, unknown>)[name], levels - 1)) return true;
  return false;
}
