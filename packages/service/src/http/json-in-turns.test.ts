import { expect, test } from 'vitest';
import { jsonInTurns } from './json-in-turns.ts';

test.each([
  undefined,
  null,
  'text',
  { success: true, data: [] },
  { success: true, data: [1], pagination: { page: 1 } },
  { success: true, data: [{ a: 1, b: undefined }, null, undefined, 'é"\n'], none: undefined, pagination: { page: 1 } },
  { success: true, data: { list: [1, 2] } },
])('an answer is written as JSON.stringify writes it: %j', async (value) => {
  expect(await jsonInTurns(value)).toBe(JSON.stringify(value));
});

test('a list of large records is written in several turns of the event loop', async () => {
  const data = Array.from({ length: 100 }, () => ({ inputs: { A: '"'.repeat(130_000) } }));
  let turns = 0;
  let next = setImmediate(function count() {
    turns++;
    next = setImmediate(count);
  });
  const text = await jsonInTurns({ success: true, data });
  clearImmediate(next);
  expect(text.length).toBeGreaterThan(26_000_000);
  expect(turns).toBeGreaterThan(1);
});
