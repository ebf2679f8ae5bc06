import { type AddressRange, overlaps, parseCidr } from './address-range.ts';

/**
 * Default pools, used if neither the operator nor the engine sets one. Private blocks come first because applications
 * trust them. They avoid common ranges: Docker's 172.17–172.31 and 192.168, 10.0 and 10.8 of offices and VPNs, 10.42,
 * 10.96 and 10.244 of Kubernetes, 100.64 of carriers and Tailscale. The last one, reserved for benchmarks, is for hosts
 * that route every private block into a VPN.
 */
const CANDIDATES = [
  '10.254.0.0/16',
  '10.222.0.0/16',
  '10.122.0.0/16',
  '172.16.0.0/16',
  '172.30.0.0/16',
  '198.18.0.0/16',
];

const candidates = CANDIDATES.map((candidate) => parseCidr(candidate) as AddressRange);

/** Returns the first candidate without an address or route of the host; all candidates if none is free. */
export function defaultPool(foreign: readonly AddressRange[]): AddressRange[] {
  const free = candidates.find((candidate) => !foreign.some((range) => overlaps(range, candidate)));
  return free ? [free] : candidates;
}
