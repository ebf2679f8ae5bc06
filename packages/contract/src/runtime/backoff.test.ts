import { expect, test } from 'vitest';
import { backoffMs } from './backoff.ts';

const times = { firstMs: 100, maxMs: 1_000 };

test('a pause doubles with each failure up to the limit', () => {
  const longest = () => 1;
  expect([1, 2, 3, 4, 5, 2_000].map((failures) => backoffMs(failures, times, longest))).toEqual([
    100, 200, 400, 800, 1_000, 1_000,
  ]);
});

test('half of a pause is random', () => {
  expect(backoffMs(3, times, () => 0)).toBe(200);
  expect(backoffMs(3, times, () => 0.5)).toBe(300);
});
