import { randomInt } from 'node:crypto';
import { networkInterfaces } from 'node:os';

/** The first two bytes of a /16 of the private range that no interface of this machine is in. */
export function freeSubnet(): string {
  const used = new Set(
    Object.values(networkInterfaces()).flatMap((addresses) =>
      (addresses ?? []).map(({ address }) => address.split('.').slice(0, 2).join('.')),
    ),
  );
  for (;;) {
    const candidate = `10.${randomInt(64, 250)}`;
    if (!used.has(candidate)) return candidate;
  }
}
