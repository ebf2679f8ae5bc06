import { expect, it } from 'vitest';
import { lasting, took } from './durations.ts';

it('durations are in the largest fitting unit', () => {
  expect([400, 9_000, 360_000, 3 * 3_600_000, 5 * 86_400_000].map(lasting)).toEqual([
    '1 s',
    '9 s',
    '6 min',
    '3 h',
    '5 days',
  ]);
});

it('the time of a step has one decimal below a minute', () => {
  expect([0, 49, 50, 6_400, 124_000].map(took)).toEqual(['< 0.1 s', '< 0.1 s', '0.1 s', '6.4 s', '2 min 4 s']);
});
