import { expect, it } from 'vitest';
import { BatchSize } from './batch-size.ts';

it('a batch that took too long is followed by a smaller one', () => {
  const size = new BatchSize(500);
  expect(size.rows).toBe(50);
  size.adapt(50);
  expect(size.rows).toBe(5);
  for (let i = 0; i < 10; i++) size.adapt(1_000);
  expect(size.rows).toBe(1);
});

it('quick batches grow step by step up to the maximum', () => {
  const size = new BatchSize(500);
  const rows = Array.from({ length: 10 }, () => {
    size.adapt(0);
    return size.rows;
  });
  expect(rows.slice(0, 3)).toEqual([76, 115, 173]);
  expect(rows.at(-1)).toBe(500);
  expect(new BatchSize(3).rows).toBe(3);
});
