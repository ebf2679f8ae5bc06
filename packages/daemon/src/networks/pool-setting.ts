import { ConfigError } from '../options/config-error.ts';
import { MIN_NETWORK } from '../plan/network-size.ts';
import { type AddressRange, formatCidr, overlaps, parseCidr } from './address-range.ts';

export const POOL_SETTING = 'HORTUS_NETWORK_POOL';

const MAX_POOL_PREFIX = 2 ** 24;

/** Addresses that no bridge can have: this network, loopback, link-local, multicast and reserved. */
const UNUSABLE = ['0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '224.0.0.0/3'].map(
  (text) => parseCidr(text) as AddressRange,
);

/** Parses one or more IPv4 blocks, separated by commas or spaces. */
export function readNetworkPool(text: string): AddressRange[] {
  const parts = text.split(/[\s,]+/).filter((part) => part !== '');
  if (parts.length === 0) refuse('is empty; give an IPv4 block such as 10.254.0.0/16, or leave it unset');
  const pool = parts.map(readBlock);
  for (const [index, part] of pool.entries()) {
    const twin = pool.slice(index + 1).find((other) => overlaps(part, other));
    if (twin) refuse(`names overlapping blocks: ${formatCidr(part)} and ${formatCidr(twin)}`);
  }
  return pool;
}

function readBlock(text: string): AddressRange {
  if (text.includes(':')) refuse(`has the IPv6 block ${text}; networks of instances are IPv4`);
  const range = parseCidr(text);
  if (range === undefined)
    return refuse(`must be IPv4 blocks such as 10.254.0.0/16; ${JSON.stringify(text)} is not one`);
  if (!text.startsWith(`${formatCidr(range).split('/')[0]}/`))
    refuse(`has ${text}, which is an address inside a block; write ${formatCidr(range)}`);
  const size = range.last - range.first + 1;
  if (size < MIN_NETWORK) refuse(`has ${text}, which is too small for a network; the minimum is a /28`);
  if (size > MAX_POOL_PREFIX) refuse(`has ${text}, which is too large; the maximum is a /8`);
  if (UNUSABLE.some((item) => overlaps(item, range)))
    refuse(`has ${text}, which contains addresses that containers cannot use`);
  return range;
}

function refuse(why: string): never {
  throw new ConfigError(`${POOL_SETTING} ${why}.`);
}
