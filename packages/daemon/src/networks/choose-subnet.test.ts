import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AddressRange, formatCidr, overlaps, parseCidr } from './address-range.ts';
import { chooseSubnet, poolUsage } from './choose-subnet.ts';

const range = (cidr: string) => parseCidr(cidr) as AddressRange;
const BASE = range('10.0.0.0/24').first;

/** Small numbers, so that ranges overlap often. */
const anyRange = fc
  .tuple(fc.nat(1_100), fc.nat(80))
  .map(([at, length]) => ({ first: BASE + at, last: BASE + at + length }));
const anyBlock = fc
  .tuple(fc.nat(31), fc.constantFrom(16, 32, 64, 128))
  .map(([index, size]) => ({ first: BASE + index * size, last: BASE + (index + 1) * size - 1 }));
const anySize = fc.constantFrom(8, 16, 32, 64, 256);
const pools = fc.array(anyBlock, { minLength: 1, maxLength: 3 });
const takens = fc.array(anyRange, { maxLength: 30 });

test('a chosen subnet is aligned, lies in the pool and overlaps nothing taken; a free block is always found', () => {
  fc.assert(
    fc.property(pools, takens, anySize, (pool, taken, size) => {
      const inPool = (range: AddressRange) => pool.some((part) => part.first <= range.first && range.last <= part.last);
      const isFree = (range: AddressRange) => inPool(range) && !taken.some((other) => overlaps(range, other));
      const all = Array.from({ length: Math.ceil(8_192 / size) }, (_, index) => {
        const first = Math.floor(BASE / size) * size + index * size;
        return { first, last: first + size - 1 };
      });
      const chosen = chooseSubnet(pool, taken, size);
      expect(chosen !== undefined).toBe(all.some(isFree));
      if (chosen === undefined) return;
      expect(chosen.first % size).toBe(0);
      expect(chosen.last - chosen.first + 1).toBe(size);
      expect(isFree(chosen)).toBe(true);
      expect(chooseSubnet(pool, taken.toReversed(), size)).toEqual(chosen);
    }),
  );
});

test('released subnets can be chosen again, and the count of free blocks is exact', () => {
  fc.assert(
    fc.property(anyBlock, takens, fc.constantFrom(8, 16), (part, taken, size) => {
      const { total, used, free } = poolUsage([part], taken, size);
      expect(used + free).toBe(total);
      const chosen: AddressRange[] = [];
      for (;;) {
        const next = chooseSubnet([part], [...taken, ...chosen], size);
        if (next === undefined) break;
        chosen.push(next);
      }
      expect(chosen.length).toBe(free);
      const [overrides, ...kept] = chosen;
      if (overrides) expect(chooseSubnet([part], [...taken, ...kept], size)).toEqual(overrides);
    }),
  );
});

test('blocks of different sizes share a pool', () => {
  const pool = [range('10.254.0.0/27'), range('10.9.0.0/28')];
  const taken: AddressRange[] = [];
  const take = (size: number) => {
    const chosen = chooseSubnet(pool, taken, size);
    if (chosen) taken.push(chosen);
    return chosen && formatCidr(chosen);
  };
  expect([take(8), take(16), take(8), take(16), take(8)]).toEqual([
    '10.254.0.0/29',
    '10.254.0.16/28',
    '10.254.0.8/29',
    '10.9.0.0/28',
    undefined,
  ]);
});
