import { assert, integer, property } from 'fast-check';
import { expect, it } from 'vitest';
import { iso, isoOrNull } from './time.ts';

const LAST = 8_640_000_000_000_000;

it('formats every time as Date does', () => {
  assert(property(integer({ min: -LAST, max: LAST }), (time) => iso(time) === new Date(time).toISOString()));
  assert(property(integer({ min: 0, max: 4_102_444_800_000 }), (time) => iso(time) === new Date(time).toISOString()));
});

it.each([0, -1, 1, 86_399_999, 86_400_000, -86_400_000, 951_782_400_000, LAST, -LAST, 1.5])('formats %d', (time) => {
  expect(iso(time)).toBe(new Date(time).toISOString());
});

it('refuses what is no time', () => {
  for (const time of [Number.NaN, Number.POSITIVE_INFINITY, LAST + 1]) expect(() => iso(time)).toThrow(RangeError);
});

it('has no text for no time', () => {
  expect(isoOrNull(null)).toBeNull();
});
