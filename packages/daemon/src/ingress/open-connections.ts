import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** ESTABLISHED and SYN_SENT. */
const OPEN = ['01', '02'];
const POLL_EVERY_MS = 50;

/**
 * Waits until this machine has no connection to the addresses, up to a limit. Caddy runs on this machine and closes
 * idle connections after a second, so no connection means no open request.
 */
export async function connectionsClosed(
  addresses: readonly string[],
  limitMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const end = performance.now() + limitMs;
  while ((await openConnections(addresses)) > 0) {
    if (performance.now() >= end) return false;
    await sleep(POLL_EVERY_MS, undefined, { signal });
  }
  return true;
}

export async function openConnections(addresses: readonly string[]): Promise<number> {
  const wanted = new Set(addresses.map(kernelForm));
  const tables = await Promise.all(['/proc/net/tcp', '/proc/net/tcp6'].map((path) => readFile(path, 'utf8')));
  const lines = tables.flatMap((table) => table.split('\n').slice(1));
  return lines.filter((line) => {
    const [, , remote = '', state] = line.trim().split(/\s+/);
    // Dual-stack sockets show IPv4 at the end of an IPv6 address.
    const [host = '', port] = remote.split(':');
    return OPEN.includes(state ?? '') && wanted.has(`${host.slice(-8)}:${port}`);
  }).length;
}

/** Converts 172.18.0.3:8080 to `030012AC:1F90`: the address is in host byte order. */
function kernelForm(address: string): string {
  const colon = address.lastIndexOf(':');
  const hex = (value: number, digits: number) => value.toString(16).toUpperCase().padStart(digits, '0');
  const bytes = address.slice(0, colon).split('.').map(Number).reverse();
  return `${bytes.map((byte) => hex(byte, 2)).join('')}:${hex(Number(address.slice(colon + 1)), 4)}`;
}
