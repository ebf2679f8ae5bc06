import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { AddressGuard } from '../../../outbound/address-guard.ts';
import { line, packetsOf } from './pkt-line.ts';
import { Repository } from './remote.ts';
import { ResponseBody } from './response-body.ts';

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.closeAllConnections();
  for (const server of servers) server.close();
});

/** Opens a server that advertises one branch and answers a fetch as it is told. */
async function fetchFrom(respond: (response: ServerResponse) => void): Promise<Buffer> {
  const server = createServer(async (request, response) => {
    const about = request.method === 'GET' ? 'advertisement' : 'result';
    response.setHeader('content-type', `application/x-git-upload-pack-${about}`);
    if (request.method === 'GET') return void response.end(`${line('version 2\n')}${line('fetch\n')}0000`);
    let body = '';
    for await (const piece of request) body += piece;
    if (body.includes('command=ls-refs')) response.end(`${line(`${'a'.repeat(40)} refs/heads/main\n`)}0000`);
    else respond(response);
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const repository = await Repository.open({
    url: `http://127.0.0.1:${port}/home.git`,
    login: undefined,
    guard: new AddressGuard({ allowPrivate: true }),
    signal: new AbortController().signal,
  });
  return await repository.fetch(await repository.head('main'));
}

describe('a hostile server', () => {
  it('cannot occupy the event loop with millions of empty lines', async () => {
    const flood = '0000'.repeat(2_000_000);
    await expect(fetchFrom((response) => response.end(`${line('packfile\n')}${flood}`))).rejects.toThrow(
      'not valid in the protocol',
    );
  });

  it('cannot occupy memory with millions of pieces of one byte', async () => {
    const flooded = fetchFrom((response) => {
      response.writeHead(200, { 'transfer-encoding': 'chunked' }).flushHeaders();
      const { socket } = response;
      const block = '1\r\n0\r\n'.repeat(10_000);
      const more = () => {
        while (socket && !socket.destroyed && socket.write(block));
      };
      socket?.on('drain', more).on('error', () => {});
      more();
    });
    await expect(flooded).rejects.toThrow('sends more data');
  });

  it('is read in pieces of any size up to the limits', () => {
    const body = new ResponseBody(100_000);
    for (let n = 0; n < 1_000; n++) expect(body.add(Buffer.alloc(100, n % 256))).toBe(true);
    expect(body.bytes.length).toBe(100_000);
    expect(body.bytes[99_999]).toBe(999 % 256);
    expect(body.add(Buffer.alloc(1))).toBe(false);
    const packets = [...packetsOf(Buffer.from(line('x').repeat(20_000)))];
    expect(packets).toHaveLength(20_000);
  });
});
