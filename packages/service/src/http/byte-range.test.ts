import { growth } from '@hortus/testkit/growth';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { byteRange } from './byte-range.ts';

it.each([
  ['bytes=0-0', { first: 0, last: 0 }],
  ['bytes=2-', { first: 2, last: 9 }],
  ['bytes=2-5', { first: 2, last: 5 }],
  ['bytes=2-500', { first: 2, last: 9 }],
  ['bytes=-3', { first: 7, last: 9 }],
  ['bytes=-300', { first: 0, last: 9 }],
  ['Bytes = 1-2', { first: 1, last: 2 }],
  ['bytes=10-', 'none'],
  ['bytes=-0', 'none'],
  ['bytes=5-2', undefined],
  ['bytes=0-1,3-4', undefined],
  ['bytes=-', undefined],
  ['lines=1-2', undefined],
  ['', undefined],
] as const)('the range %s of ten bytes is parsed as specified', (header, expected) => {
  expect(byteRange(header, 10)).toEqual(expected);
});

it('a parsed range never exceeds the file', () => {
  fc.assert(
    fc.property(fc.nat(50), fc.option(fc.nat(60)), fc.option(fc.nat(60)), (size, from, to) => {
      const range = byteRange(`bytes=${from ?? ''}-${to ?? ''}`, size);
      if (range === undefined || range === 'none') return;
      expect(range.first).toBeGreaterThanOrEqual(0);
      expect(range.last).toBeGreaterThanOrEqual(range.first);
      expect(range.last).toBeLessThan(size);
    }),
  );
});

it('a range of many blanks is read in linear time', () => {
  expect(growth((length) => byteRange(`bytes=${' '.repeat(length)}x`, 10), 15_500)).toBeLessThan(8);
});
