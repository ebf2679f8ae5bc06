import { theOne } from './by-name.ts';

/** Finds the only item with this id or name; fails if none or several match. */
export async function findListed<Item extends { readonly id: string }>(
  all: AsyncIterable<Item>,
  what: string,
  reference: string,
  names: (item: Item) => readonly string[],
): Promise<Item> {
  const items = await Array.fromAsync(all);
  const fitting = items.filter((item) => item.id === reference || names(item).includes(reference));
  return theOne(what, reference, fitting, (item) => names(item).join(', '), items.flatMap(names));
}
