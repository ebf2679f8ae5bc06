import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { FrameScanner } from '@hortus/contract/frames';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { afterEach, expect, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { Link, LinkLost } from './link.ts';

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

/** A server built with the `ws` library, to check that the client is compatible with it. */
async function listen(server: Server = createServer()) {
  const sockets = new WebSocketServer({ noServer: true });
  const ends: WebSocket[] = [];
  const asked: IncomingMessage[] = [];
  server.on('upgrade', (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (end) => {
      asked.push(request);
      ends.push(end);
    }),
  );
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  opened.push(async () => {
    for (const end of ends) end.terminate();
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  const { port } = server.address() as AddressInfo;
  return { port, ends, asked };
}

const never = () => new AbortController().signal;
async function linked(base: string, service: Awaited<ReturnType<typeof listen>>, signal = never()) {
  const link = await Link.open(base, 'hs_test_key', 'trf_1', signal);
  opened.push(() => link.close());
  await until(() => service.ends.length > 0, { describe: 'the service to accept the connection' });
  return { link, end: service.ends[0] as WebSocket };
}

async function talk(base: string, service: Awaited<ReturnType<typeof listen>>): Promise<void> {
  const { link, end } = await linked(base, service);
  expect(service.asked[0]?.url).toBe('/api/v1/ws/transfer?transfer_id=trf_1');
  expect(service.asked[0]?.headers.authorization).toBe('Bearer hs_test_key');
  const bytes = randomBytes(9_000_000);
  const heard: Buffer[] = [];
  end.on('message', (data: Buffer) => heard.push(data));
  link.say({ type: 'want', index: 7 });
  for (let at = 0; at < bytes.length; at += 500_000) await link.give(bytes.subarray(at, at + 500_000));
  await until(() => heard.length === 19, { describe: 'all messages to arrive' });
  expect(JSON.parse(String(heard[0]))).toEqual({ type: 'want', index: 7 });
  expect(Buffer.concat(heard.slice(1)).equals(bytes)).toBe(true);

  end.send(JSON.stringify({ type: 'alive' }));
  end.send(JSON.stringify({ type: 'begin' }));
  end.send(bytes);
  end.send(JSON.stringify({ type: 'have', index: 1 }));
  end.close(4410, 'the other end has disconnected');
  const said: unknown[] = [];
  const got: Buffer[] = [];
  const listening = (async () => {
    for await (const message of link.heard()) {
      if (Buffer.isBuffer(message)) got.push(Buffer.from(message));
      else said.push(message);
    }
  })();
  await expect(listening).rejects.toThrow(new LinkLost('the other end has disconnected'));
  expect(said).toEqual([{ type: 'begin' }, { type: 'have', index: 1 }]);
  expect(Buffer.concat(got).equals(bytes)).toBe(true);
  await expect(link.give(bytes)).rejects.toThrow('the other end has disconnected');
}

test('the client exchanges messages with a server of the ws library', async () => {
  const service = await listen();
  await talk(`http://127.0.0.1:${service.port}/api/v1`, service);
});

test('TLS works, and an untrusted certificate is rejected', async () => {
  await using folder = temporaryFolder('certificate');
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(folder.path, name)) as [string, string];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-keyout', key, '-out', cert, ...subject],
    ],
    { stdio: 'ignore' },
  );
  const service = await listen(createSecureServer({ key: readFileSync(key), cert: readFileSync(cert) }));
  const base = `https://127.0.0.1:${service.port}/api/v1`;
  await expect(Link.open(base, 'key', 'trf_1', never())).rejects.toThrow('self-signed certificate');
  const known = getCACertificates('default');
  opened.push(() => setDefaultCACertificates(known));
  setDefaultCACertificates([...known, readFileSync(cert, 'utf8')]);
  await talk(base, service);
});

test('a rejected connection reports the status', async () => {
  const server = createServer();
  server.on('upgrade', (_, socket) => socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno'));
  const { port } = await listen(server);
  await expect(Link.open(`http://127.0.0.1:${port}`, 'key', 'trf_1', never())).rejects.toThrow(
    new LinkLost('the service responded with status 404'),
  );
});

test('unread data applies backpressure to the sender', async () => {
  const service = await listen();
  const { link, end } = await linked(`http://127.0.0.1:${service.port}`, service);
  const piece = randomBytes(1024 * 1024);
  for (let i = 0; i < 64; i++) end.send(piece);
  let before = -1;
  await until(
    () => {
      const same = before === end.bufferedAmount;
      before = end.bufferedAmount;
      return same;
    },
    { every: 300, describe: 'the sender to stall' },
  );
  expect(end.bufferedAmount).toBeGreaterThan(32 * piece.length);
  let got = 0;
  for await (const message of link.heard()) {
    got += (message as Buffer).length;
    if (got === 64 * piece.length) break;
  }
  await until(() => end.bufferedAmount === 0, { describe: 'the send buffer to drain' });
});

test('an aborted link is lost at once, before and after it opened', async () => {
  const server = createServer();
  const silent = Promise.withResolvers<void>();
  server.on('upgrade', () => silent.resolve());
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  opened.push(() => server.closeAllConnections());
  const giving = new AbortController();
  const { port } = server.address() as AddressInfo;
  const opening = Link.open(`http://127.0.0.1:${port}`, 'key', 'trf_1', giving.signal);
  silent.promise.then(() => giving.abort());
  await expect(opening).rejects.toThrow(LinkLost);

  const service = await listen();
  const later = new AbortController();
  const { link } = await linked(`http://127.0.0.1:${service.port}`, service, later.signal);
  const hearing = link.heard().next();
  later.abort();
  await expect(hearing).rejects.toThrow(LinkLost);
});

test('every frame is masked with a random key of its own, and what is sent is left unchanged', async () => {
  const service = await listen();
  const { link, end } = await linked(`http://127.0.0.1:${service.port}`, service);
  const masks: string[] = [];
  const scanner = new FrameScanner('client', {
    begin: ({ mask }) => masks.push(mask?.toString('hex') ?? ''),
    content: () => undefined,
    end: () => undefined,
    control: () => undefined,
  });
  service.asked[0]?.socket.prependListener('data', (bytes: Buffer) => scanner.read(bytes));
  const heard: Buffer[] = [];
  end.on('message', (data: Buffer) => heard.push(data));
  const bytes = Buffer.alloc(1_000, 'a');
  for (let i = 0; i < 20; i++) await link.give(bytes);
  await until(() => heard.length === 20, { describe: 'all messages to arrive' });
  expect(new Set(masks).size).toBe(20);
  expect(masks).not.toContain('00000000');
  expect([bytes, ...heard].every((one) => one.equals(Buffer.alloc(1_000, 'a')))).toBe(true);
});
