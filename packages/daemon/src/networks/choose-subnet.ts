import { type AddressRange, overlaps } from './address-range.ts';

/**
 * Returns the lowest free block of `size` addresses, a power of two, aligned to its size; undefined if the pool has
 * none. The lowest one keeps used blocks together and large blocks free.
 */
export function chooseSubnet(
  pool: readonly AddressRange[],
  taken: readonly AddressRange[],
  size: number,
): AddressRange | undefined {
  const ordered = [...taken].sort((a, b) => a.first - b.first);
  for (const part of pool) {
    let first = alignedUp(part.first, size);
    for (const range of ordered) {
      if (range.last < first) continue;
      if (range.first > first + size - 1) break;
      first = alignedUp(range.last + 1, size);
    }
    if (first + size - 1 <= part.last) return { first, last: first + size - 1 };
  }
  return undefined;
}

const alignedUp = (address: number, size: number): number => Math.ceil(address / size) * size;

export interface PoolUsage {
  total: number;
  used: number;
  free: number;
}

/** Counts the blocks of `size` addresses in the pool, and those that touch a taken range. */
export function poolUsage(pool: readonly AddressRange[], taken: readonly AddressRange[], size: number): PoolUsage {
  const counts = pool.map((part) => {
    const [from, to] = [alignedUp(part.first, size) / size, Math.floor((part.last + 1) / size) - 1];
    const blocks = taken
      .filter((range) => overlaps(range, part))
      .map(({ first, last }) => ({ from: Math.floor(first / size), to: Math.floor(last / size) }))
      .sort((a, b) => a.from - b.from);
    let used = 0;
    let next = from;
    for (const block of blocks) {
      used += Math.max(0, Math.min(block.to, to) - Math.max(block.from, next) + 1);
      next = Math.max(next, block.to + 1);
    }
    return { total: Math.max(0, to - from + 1), used };
  });
  const total = counts.reduce((sum, count) => sum + count.total, 0);
  const used = counts.reduce((sum, count) => sum + count.used, 0);
  return { total, used, free: total - used };
}
