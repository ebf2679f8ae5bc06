import { expect, test } from 'vitest';
import { sparkline } from './sparkline.ts';

test('bars scale from zero to the maximum or the given top', () => {
  expect(sparkline([0, 1, 2, 3, 4, 5, 6, 7, 8])).toBe('▁▂▃▄▅▆▇██');
  expect(sparkline([0, 50, 100], 200)).toBe('▁▃▅');
  expect(sparkline([0, 0])).toBe('▁▁');
  expect(sparkline([])).toBe('');
});

test('at most thirty bars are drawn, and no peak is lost', () => {
  const values = Array.from({ length: 60 }, (_, number) => (number === 41 ? 9 : 0));
  expect(sparkline(values)).toBe(`${'▁'.repeat(20)}█${'▁'.repeat(9)}`);
  for (const length of [31, 45, 59, 336]) {
    for (let peak = 0; peak < length; peak++)
      expect(sparkline(Array.from({ length }, (_, number) => (number === peak ? 1 : 0)))).toContain('█');
  }
});
