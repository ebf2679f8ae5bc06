import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';

const everywhere = new Set(['0.0.0.0', '::']);

/**
 * Returns the address of a listening server for other machines: its own or, if it listens everywhere, the first
 * external one.
 */
export function reachableUrl(server: Pick<Server, 'address'>): string {
  const { address, port } = server.address() as AddressInfo;
  const host = everywhere.has(address) ? outsideAddress() : address;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function outsideAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '127.0.0.1';
}
