import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A set of addresses, as `192.0.2.0/24` or `2001:db8::/32`. */
export type Network = readonly [Address, number];

/** Parses a network; undefined if it is invalid. A single address is a network of one. */
export function parseNetwork(text: string): Network | undefined {
  const [, host = '', bits] = /^([0-9a-fA-F:.]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const address = parseAddress(host);
  if (!address) return undefined;
  // An IPv4-mapped IPv6 network is treated as IPv4, as addresses are.
  const mapped = address.kind() === 'ipv4' && host.includes(':') ? 96 : 0;
  const widest = address.kind() === 'ipv4' ? 32 : 128;
  const length = bits === undefined ? widest : Number(bits) - mapped;
  if (length < 0 || length > widest) return undefined;
  const kind = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  return [kind.networkAddressFromCIDR(`${address}/${length}`), length];
}

export const printNetwork = ([address, length]: Network): string => `${address}/${length}`;

/** Tells whether every address of `inner` is also in `outer`. */
export const isPartOf = ([address, length]: Network, [net, prefix]: Network): boolean =>
  address.kind() === net.kind() && length >= prefix && address.match(net, prefix);

export function isWithin(address: string, networks: readonly Network[]): boolean {
  const parsed = networks.length > 0 ? parseAddress(address) : undefined;
  return (
    parsed !== undefined && networks.some(([net, length]) => net.kind() === parsed.kind() && parsed.match(net, length))
  );
}

/**
 * The library also accepts `0x7f.1` and `010.0.0.1`, which people and programs read differently, and treats
 * `::10.0.0.1` as IPv4; refuse those.
 */
function parseAddress(text: string): Address | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  if (!text.includes(':') || !ipaddr.IPv6.isValid(text)) return undefined;
  if (text.includes('.') && !/^::ffff:/i.test(text)) return undefined;
  return ipaddr.process(text);
}

/**
 * Returns the network that counts as one caller: an IPv4 address, or the /64 of an IPv6 address, because one user
 * usually has all of it.
 */
export function callerNetwork(address: string): string {
  if (!address.includes(':')) return address;
  const [withoutZone = ''] = address.split('%');
  const network = parseNetwork(`${withoutZone}/64`);
  return network ? printNetwork(network) : address;
}
