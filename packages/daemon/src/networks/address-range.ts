import { isIPv4 } from 'node:net';

/** A range of IPv4 addresses, both ends included, as unsigned 32-bit numbers. */
export interface AddressRange {
  readonly first: number;
  readonly last: number;
}

const ALL_BITS = 32;

const blockSize = (prefix: number): number => 2 ** (ALL_BITS - prefix);

export const overlaps = (range: AddressRange, other: AddressRange): boolean =>
  range.first <= other.last && other.first <= range.last;

export const contains = ({ first, last }: AddressRange, address: number): boolean =>
  first <= address && address <= last;

export function parseAddress(text: string): number | undefined {
  if (!isIPv4(text)) return undefined;
  return text.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0);
}

/** Parses an IPv4 block in CIDR notation and ignores host bits; undefined for anything else. */
export function parseCidr(text: string): AddressRange | undefined {
  const [, host = '', length = ''] = /^([\d.]+)\/(\d{1,2})$/.exec(text.trim()) ?? [];
  const address = parseAddress(host);
  if (address === undefined || Number(length) > ALL_BITS) return undefined;
  const size = blockSize(Number(length));
  const first = address - (address % size);
  return { first, last: first + size - 1 };
}

export const formatAddress = (address: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');

/** Formats a range, which must be a block of a power of two addresses. */
export const formatCidr = ({ first, last }: AddressRange): string =>
  `${formatAddress(first)}/${ALL_BITS - Math.log2(last - first + 1)}`;
