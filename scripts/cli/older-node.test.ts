import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromAsync, groupBy, withResolvers } from './older-node.ts';

async function* later<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  for (const item of items) yield item;
}

test('the replacements give what the functions of a newer Node give', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string()), async (items) => {
      expect(await fromAsync(later(items))).toEqual(await Array.fromAsync(later(items)));
      expect(await fromAsync(items)).toEqual(items);
      const keyOf = (item: string, index: number) => (index % 3 === 0 ? '__proto__' : item.slice(0, 1));
      expect(Object.entries(groupBy(items, keyOf))).toEqual(Object.entries(Object.groupBy(items, keyOf)));
    }),
  );
  const done = withResolvers<number>();
  done.resolve(1);
  expect(await done.promise).toBe(1);
  const failed = withResolvers<number>();
  failed.reject(new Error('no'));
  await expect(failed.promise).rejects.toThrow('no');
});
