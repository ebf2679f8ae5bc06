import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';

export interface Outside extends AsyncDisposable {
  /** Address of this machine that containers with a way out reach. */
  readonly address: string;
  /** A page outside of all containers. */
  readonly url: string;
  /** Names that were looked up at its name server. */
  readonly names: ReadonlySet<string>;
  /** Paths that were requested. */
  readonly paths: ReadonlySet<string>;
}

/** Opens a web server and a name server on an address of this machine; the latter knows every name. */
export async function openOutside(): Promise<Outside> {
  const address = outerAddress();
  const names = new Set<string>();
  const paths = new Set<string>();
  const web = createServer((request, response) => {
    paths.add(request.url ?? '');
    response.end('outside');
  }).listen(0, address);
  await once(web, 'listening');
  const resolver = createSocket('udp4');
  resolver.on('message', (query, from) => {
    names.add(nameIn(query));
    resolver.send(dnsResponse(query, address), from.port, from.address);
  });
  resolver.bind(53, address);
  await once(resolver, 'listening');
  return {
    address,
    url: `http://${address}:${(web.address() as AddressInfo).port}`,
    names,
    paths,
    async [Symbol.asyncDispose]() {
      resolver.close();
      web.close();
      web.closeAllConnections();
    },
  };
}

function outerAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((item) => item ?? []);
  const found = all.find(({ family, internal }) => family === 'IPv4' && !internal);
  if (found === undefined) throw new Error('This machine has no address besides loopback.');
  return found.address;
}

const HEADER_BYTES = 12;

/** Reads the name of the first question of a DNS message. */
function nameIn(message: Buffer): string {
  const labels: string[] = [];
  for (let at = HEADER_BYTES; message[at] !== 0 && at < message.length; at += 1 + (message[at] ?? 0))
    labels.push(message.toString('latin1', at + 1, at + 1 + (message[at] ?? 0)));
  return labels.join('.');
}

/** Answers a question for an IPv4 address; other questions get an empty answer. */
function dnsResponse(query: Buffer, address: string): Buffer {
  const end = query.indexOf(0, HEADER_BYTES) + 5;
  const known = query.readUInt16BE(end - 4) === 1;
  const header = Buffer.from(query.subarray(0, HEADER_BYTES));
  header.writeUInt16BE(0x8180, 2);
  header.writeUInt16BE(known ? 1 : 0, 6);
  header.writeUInt32BE(0, 8);
  const record = [0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, ...address.split('.').map(Number)];
  return Buffer.concat([header, query.subarray(HEADER_BYTES, end), Buffer.from(known ? record : [])]);
}
