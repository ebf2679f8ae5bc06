import { theOne } from './by-name.ts';

/** The one item of a list that has this id or one of these names; what fits nothing, or several, is an error that says so. */
export async function findListed<Item extends { readonly id: string }>(
  all: AsyncIterable<Item>,
  what: string,
  given: string,
  names: (item: Item) => readonly string[],
): Promise<Item> {
  const fitting = (await Array.fromAsync(all)).filter((item) => item.id === given || names(item).includes(given));
  return theOne(what, given, fitting, (item) => names(item).join(', '));
}
