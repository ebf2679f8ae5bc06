import { networkInterfaces } from 'node:os';

const lowest = 64;
const count = 186;

/**
 * Returns the first two bytes of a private /16 without an interface of this machine. Concurrent callers start at
 * different candidates, because their process ids differ.
 */
export function freeSubnet(): string {
  const used = new Set(
    Object.values(networkInterfaces()).flatMap((addresses) =>
      (addresses ?? []).map(({ address }) => address.split('.').slice(0, 2).join('.')),
    ),
  );
  for (let step = 0; step < count; step++) {
    const candidate = `10.${lowest + ((process.pid + step) % count)}`;
    if (!used.has(candidate)) return candidate;
  }
  throw new Error(`Every network from 10.${lowest} to 10.${lowest + count - 1} is taken`);
}
