/** Largest result of a tool in characters; a model reads every one of them. */
export const MAX_RESULT_LENGTH = 12_000;

export const bounded = (text: string, maxLength = MAX_RESULT_LENGTH): string =>
  text.length <= maxLength ? text : `${text.slice(0, maxLength)}\n… (cut; ask for less)`;

/** Lists items up to a number and says how many are left out. */
export function listed<Item>(
  items: readonly Item[],
  print: (item: Item) => string,
  { total = items.length, none = 'None.', max = 50 }: { total?: number; none?: string; max?: number } = {},
): string {
  if (items.length === 0) return none;
  const shown = items.slice(0, max);
  const left = Math.max(total, items.length) - shown.length;
  return [...shown.map(print), ...(left > 0 ? [`… and ${left} more`] : [])].join('\n');
}

/** Joins the facts that are known. */
export const facts = (...known: readonly (string | false | null | undefined)[]): string =>
  known.filter(Boolean).join(', ');

export const paragraphs = (...known: readonly (string | false | null | undefined)[]): string =>
  known.filter(Boolean).join('\n\n');
