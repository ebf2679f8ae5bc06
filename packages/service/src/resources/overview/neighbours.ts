import { isIP } from 'node:net';
import type { Neighbour } from '@hortus/contract/resources/overview';

/** Host names of the console, in lower case. */
export function consoleHosts(publicUrl: string, allowedHosts: readonly string[]): string[] {
  const own = new URL(publicUrl).hostname;
  const local = isLoopback(own) ? ['127.0.0.1', 'localhost', '[::1]'] : [];
  return [...new Set([own, ...local, ...allowedHosts.map((host) => host.toLowerCase())])];
}

interface Reachable {
  readonly id: string;
  readonly name: string;
  readonly url: string | null;
}

export interface Publishing {
  readonly id: string;
  readonly name: string;
  readonly ports: readonly string[];
}

/** The page of a person shows no more. */
const MAX_NEIGHBOURS = 20;

/**
 * Finds the instances that share a host name with the console: browsers send its cookie to every port of that host. `publishing` are
 * those that publish ports of the console's own machine, which are reachable under all names of it.
 */
export function neighboursOf(
  hosts: readonly string[],
  instances: readonly Reachable[],
  publishing: readonly Publishing[],
): Neighbour[] {
  const [host = ''] = hosts;
  const found = new Map<string, Neighbour>();
  const add = ({ id, name }: { id: string; name: string }, addresses: readonly string[]) => {
    const known = found.get(id)?.addresses ?? [];
    if (addresses.length > 0) found.set(id, { instance_id: id, name, addresses: [...known, ...addresses] });
  };
  for (const instance of instances) {
    const { url } = instance;
    if (url !== null && URL.canParse(url) && hosts.includes(new URL(url).hostname)) add(instance, [url]);
  }
  for (const instance of publishing)
    add(
      instance,
      instance.ports.map((port) => `${host}:${port}`),
    );
  return [...found.values()].slice(0, MAX_NEIGHBOURS);
}

/** Tells whether a daemon that connected from an address is on the machine of the console. */
export const isOwnMachine = (address: string | null, hosts: readonly string[]): boolean =>
  address !== null && (isLoopback(address) || hosts.includes(isIP(address) === 6 ? `[${address}]` : address));

/** Of a name or address; a daemon on the machine of the service may appear as a mapped address. */
const isLoopback = (host: string): boolean =>
  host === 'localhost' ||
  host === '::1' ||
  host === '[::1]' ||
  /^(?:::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
