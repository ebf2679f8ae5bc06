import { networkInterfaces } from 'node:os';

const lowest = 64;
const count = 186;

/**
 * The first two bytes of a /16 of the private range that no interface of this machine is in. Those who look at the same moment,
 * before any of them has made an interface, begin at different ones: their process ids differ.
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
