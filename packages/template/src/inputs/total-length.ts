import type { InputValue } from '@hortus/contract/template/inputs';

/**
 * Maximum length of all values of a definition, a saved configuration or an execution together. Each is limited by its type, but a
 * template can declare thousands, and lists return the values of a hundred records.
 */
const MAX_TOTAL_LENGTH = 131_072;

/** What a secret in the vault counts for: its length is not known here. */
const HELD_LENGTH = 512;

type Values = Readonly<Record<string, InputValue>>;

const lengthOf = (value: InputValue | undefined): number => (typeof value === 'string' ? value.length : 0);

export function totalLength(values: Values, held: Iterable<string> = []): number {
  let total = 0;
  for (const value of Object.values(values)) total += lengthOf(value);
  for (const name of held) if (!Object.hasOwn(values, name)) total += HELD_LENGTH;
  return total;
}

/** Returns the first of the given values with which all of them are too long; undefined if they are not. */
export function firstBeyondTotal(values: Values, given: readonly string[], held: Iterable<string> = []) {
  let total = totalLength(values, held);
  if (total <= MAX_TOTAL_LENGTH) return undefined;
  const added = given.filter((name) => Object.hasOwn(values, name));
  for (const name of added) total -= lengthOf(values[name]);
  return added.find((name) => {
    total += lengthOf(values[name]);
    return total > MAX_TOTAL_LENGTH;
  });
}

export const beyondTotal = (kind: 'inputs' | 'params') =>
  `is too long beside the other ${kind}; all together can have at most ${MAX_TOTAL_LENGTH} characters`;
