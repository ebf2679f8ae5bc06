import { expect, it } from 'vitest';
import { Writers } from './writers.ts';

it('remembers the last change of each caller until the standby shows it', () => {
  const writers = new Writers();
  expect(writers.lastOf('one')).toBe(Number.NEGATIVE_INFINITY);
  writers.note('one', 10, 0);
  writers.note('two', 20, 0);
  writers.note('one', 30, 0);
  expect([writers.lastOf('one'), writers.lastOf('two')]).toEqual([30, 20]);
  writers.note('three', 40, 25);
  expect([writers.lastOf('one'), writers.lastOf('two')]).toEqual([30, Number.NEGATIVE_INFINITY]);
});

it('treats every caller as one that has just changed something when there are too many', () => {
  const writers = new Writers();
  for (let number = 0; number <= 10_000; number++) writers.note(`caller-${number}`, number, 0);
  expect([writers.lastOf('caller-0'), writers.lastOf('another')]).toEqual([10_000, 10_000]);
});
