// Functions that the bundle of the command line client uses in place of those that Node 20, the one of Debian 13, does not have.

export async function fromAsync<Item>(items: AsyncIterable<Item> | Iterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

export function groupBy<Item>(items: Iterable<Item>, keyOf: (item: Item, index: number) => PropertyKey) {
  const groups = Object.create(null) as Record<PropertyKey, Item[]>;
  let index = 0;
  for (const item of items) {
    const key = keyOf(item, index++);
    groups[key] ??= [];
    groups[key].push(item);
  }
  return groups;
}

export function withResolvers<Value>() {
  let settle: { resolve: (value: Value) => void; reject: (reason: unknown) => void } | undefined;
  const promise = new Promise<Value>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...(settle as NonNullable<typeof settle>) };
}
