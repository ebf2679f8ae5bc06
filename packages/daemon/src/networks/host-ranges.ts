import { readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { type AddressRange, parseCidr } from './address-range.ts';

/**
 * Returns the ranges that the host has addresses in or routes to, from all routing tables: a VPN often uses its own.
 * Read again before every choice, because routes change.
 */
export async function hostRanges(): Promise<AddressRange[]> {
  const routes = await readFile('/proc/net/fib_trie', 'utf8').then(routesOfTrie, () =>
    readFile('/proc/net/route', 'utf8').then(routesOfTable, () => []),
  );
  const addresses = Object.values(networkInterfaces()).flatMap((all) =>
    (all ?? []).flatMap(({ family, cidr }) => (family === 'IPv4' && cidr ? (parseCidr(cidr) ?? []) : [])),
  );
  return [...addresses, ...routes];
}

/**
 * Wider routes lead to the internet: besides 0.0.0.0/0, VPNs that take over the default route set 0.0.0.0/1 and
 * 128.0.0.0/1.
 */
const WIDEST_NETWORK = 8;

/** Parses leaves such as `|-- 10.0.0.0`, each followed by its prefix lengths: `/24 link UNICAST`. */
export function routesOfTrie(trie: string): AddressRange[] {
  const ranges: AddressRange[] = [];
  let leaf = '';
  for (const line of trie.split('\n')) {
    const [, address] = /^\s*\|-- ([\d.]+)/.exec(line) ?? [];
    if (address !== undefined) leaf = address;
    const [, length] = /^\s*\/(\d+) /.exec(line) ?? [];
    if (length !== undefined) ranges.push(...network(leaf, Number(length)));
  }
  return ranges;
}

/** Parses hexadecimal addresses and masks in host byte order. */
export function routesOfTable(table: string): AddressRange[] {
  const bytes = (hex: string) => (hex.match(/../g) ?? []).reverse().map((byte) => Number.parseInt(byte, 16));
  return table
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const fields = line.trim().split(/\s+/);
      const [destination = '', mask = ''] = [fields[1], fields[7]];
      const ones = bytes(mask).reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0);
      return network(bytes(destination).join('.'), ones);
    });
}

function network(address: string, length: number): AddressRange[] {
  const range = length < WIDEST_NETWORK ? undefined : parseCidr(`${address}/${length}`);
  return range === undefined ? [] : [range];
}
