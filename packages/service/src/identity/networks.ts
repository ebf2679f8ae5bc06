import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A set of addresses, as `192.0.2.0/24` or `2001:db8::/32`. */
export type Network = readonly [Address, number];

/** Undefined when the text is not a network. A single address is the network that holds only itself. */
export function parseNetwork(text: string): Network | undefined {
  const [, host = '', bits] = /^([0-9a-fA-F:.]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const address = parseAddress(host);
  if (!address) return undefined;
  // An IPv4 network in IPv6 clothes is an IPv4 network: that is how addresses are compared, too.
  const mapped = address.kind() === 'ipv4' && host.includes(':') ? 96 : 0;
  const widest = address.kind() === 'ipv4' ? 32 : 128;
  const length = bits === undefined ? widest : Number(bits) - mapped;
  if (length < 0 || length > widest) return undefined;
  const kind = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  return [kind.networkAddressFromCIDR(`${address}/${length}`), length];
}

export const printNetwork = ([address, length]: Network): string => `${address}/${length}`;

/** Whether every address of `inner` is also in `outer`. */
export const isPartOf = ([address, length]: Network, [net, prefix]: Network): boolean =>
  address.kind() === net.kind() && length >= prefix && address.match(net, prefix);

export function isWithin(address: string, networks: readonly Network[]): boolean {
  const parsed = parseAddress(address);
  return (
    parsed !== undefined && networks.some(([net, length]) => net.kind() === parsed.kind() && parsed.match(net, length))
  );
}

/**
 * The library also takes `0x7f.1` and `010.0.0.1`, which people and programs read differently, and takes `::10.0.0.1` for
 * the IPv4 address within; those are refused.
 */
function parseAddress(text: string): Address | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  if (!text.includes(':') || !ipaddr.IPv6.isValid(text)) return undefined;
  if (text.includes('.') && !/^::ffff:/i.test(text)) return undefined;
  return ipaddr.process(text);
}

/** Returns what counts as one caller: an IPv4 address, or the /64 of an IPv6 address, because one holder has all of it. */
export function callerNetwork(address: string): string {
  if (!address.includes(':')) return address;
  const [withoutZone = ''] = address.split('%');
  const network = parseNetwork(`${withoutZone}/64`);
  return network ? printNetwork(network) : address;
}
