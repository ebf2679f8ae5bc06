import { expect, it } from 'vitest';
import { seriesPath } from './series-path.ts';

it('a series is drawn to scale, and a missing report is a gap and not a line', () => {
  const span = { from: 0, to: 600_000, stepMs: 60_000 };
  const points = [
    { at: 0, percent: 0 },
    { at: 60_000, percent: 50 },
    { at: 300_000, percent: 100 },
  ];
  expect(seriesPath(points, span)).toBe('M0 60L60 30M300 0');
  expect(seriesPath([], span)).toBe('');
});
