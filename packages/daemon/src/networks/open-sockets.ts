import { readFile } from 'node:fs/promises';

/** A TCP or UDP socket over IPv4; addresses as numbers. */
export interface Socket {
  readonly local: number;
  readonly localPort: number;
  readonly remote: number;
  readonly remotePort: number;
  readonly isListening: boolean;
  /** Closed, but still remembered by the kernel (TIME_WAIT). */
  readonly isClosed: boolean;
}

const TABLES = ['tcp', 'tcp6', 'udp', 'udp6'];
const LISTEN = '0A';
const TIME_WAIT = '06';

/**
 * Lists the sockets in the network namespace of a process. Closed connections stay listed for a minute on the side that
 * closed first. Rejects if the process has ended.
 */
export async function socketsOf(pid: number): Promise<Socket[]> {
  const tables = await Promise.all(
    TABLES.map((name) => readFile(`/proc/${pid}/net/${name}`, 'utf8').catch(none(name))),
  );
  return tables.flatMap(socketsIn);
}

/** Kernels without IPv6 have no tables for it. */
const none = (name: string) => (error: Error) => {
  if (name.endsWith('6')) return '';
  throw error;
};

function socketsIn(table: string): Socket[] {
  return table
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [, local = '', remote = '', state] = line.trim().split(/\s+/);
      const [from, to] = [endpoint(local), endpoint(remote)];
      if (from === undefined || to === undefined) return [];
      const ends = { local: from.address, localPort: from.port, remote: to.address, remotePort: to.port };
      return [{ ...ends, isListening: state === LISTEN, isClosed: state === TIME_WAIT }];
    });
}

/** Parses IPv4 in host byte order, alone or mapped into an IPv6 address. */
function endpoint(text: string): { address: number; port: number } | undefined {
  const [host = '', port = ''] = text.split(':');
  const isIPv4 = host.length === 8 || /^(0{32}|0{16}FFFF0000.{8})$/.test(host);
  if (!isIPv4) return undefined;
  const bytes = (host.slice(-8).match(/../g) ?? []).reverse().map((byte) => Number.parseInt(byte, 16));
  return { address: bytes.reduce((sum, byte) => sum * 256 + byte, 0), port: Number.parseInt(port, 16) };
}
