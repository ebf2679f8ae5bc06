import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { TRANSFER_PROTOCOL } from '@hortus/contract/protocol/transfer';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { afterEach, expect, test } from 'vitest';
import { Link, LinkLost } from './link.ts';
import { contentHeader, type Message, messageRecord, RecordReader } from './records.ts';

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

const SWITCHING = `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${TRANSFER_PROTOCOL}\r\n\r\n`;

/** A server that accepts every upgrade with this answer. */
async function listen(server: Server = createServer(), response = SWITCHING) {
  const ends: Socket[] = [];
  const asked: IncomingMessage[] = [];
  server.on('upgrade', (request, socket) => {
    socket.on('error', () => undefined);
    socket.write(response);
    asked.push(request);
    ends.push(socket as Socket);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  opened.push(async () => {
    for (const end of ends) end.destroy();
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  const { port } = server.address() as AddressInfo;
  return { port, ends, asked };
}

/** Collects what an end sends: its messages, and its content in one. */
function receive(end: Socket) {
  const reader = new RecordReader();
  const received = { messages: [] as Message[], content: [] as Buffer[], bytes: 0 };
  end.on('data', (bytes: Buffer) => {
    for (const item of reader.read(bytes)) {
      if (!Buffer.isBuffer(item)) received.messages.push(item);
      else {
        received.content.push(item);
        received.bytes += item.length;
      }
    }
  });
  return received;
}

const never = () => new AbortController().signal;
async function linked(base: string, service: Awaited<ReturnType<typeof listen>>, signal = never()) {
  const link = await Link.open(base, 'hs_test_key', 'trf_1', signal);
  opened.push(() => link.close());
  await until(() => service.ends.length > 0, { describe: 'the service to accept the connection' });
  return { link, end: service.ends[0] as Socket };
}

async function talk(base: string, service: Awaited<ReturnType<typeof listen>>): Promise<void> {
  const { link, end } = await linked(base, service);
  expect(service.asked[0]?.url).toBe('/api/v1/ws/transfer?transfer_id=trf_1');
  expect(service.asked[0]?.headers.authorization).toBe('Bearer hs_test_key');
  const bytes = randomBytes(9_000_000);
  const received = receive(end);
  link.say({ type: 'want', index: 7 });
  for (let at = 0; at < bytes.length; at += 500_000) await link.give(bytes.subarray(at, at + 500_000));
  await until(() => received.bytes === bytes.length, { describe: 'all content to arrive' });
  expect(received.messages).toEqual([{ type: 'want', index: 7 }]);
  expect(Buffer.concat(received.content).equals(bytes)).toBe(true);

  end.write(messageRecord({ type: 'alive' }));
  end.write(messageRecord({ type: 'begin' }));
  for (let at = 0; at < bytes.length; at += 3_000_000) {
    end.write(contentHeader(3_000_000));
    end.write(bytes.subarray(at, at + 3_000_000));
  }
  end.end(messageRecord({ type: 'have', index: 1 }));
  const said: unknown[] = [];
  const got: Buffer[] = [];
  const listening = (async () => {
    for await (const message of link.received()) {
      if (Buffer.isBuffer(message)) got.push(Buffer.from(message));
      else said.push(message);
    }
  })();
  await expect(listening).rejects.toThrow(new LinkLost('the service closed the connection'));
  expect(said).toEqual([{ type: 'begin' }, { type: 'have', index: 1 }]);
  expect(Buffer.concat(got).equals(bytes)).toBe(true);
  await expect(link.give(bytes)).rejects.toThrow('the service closed the connection');
}

test('messages and content travel in both directions, in order', async () => {
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

test.each([
  ['HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno', 'the service responded with status 404'],
  ['SSH-2.0-OpenSSH_9.9\r\n\r\n', 'the response is not HTTP'],
  ['HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n', 'the response is not an upgrade to a transfer'],
])('the answer %j does not open a link', async (response, fault) => {
  const { port } = await listen(createServer(), response);
  await expect(Link.open(`http://127.0.0.1:${port}`, 'key', 'trf_1', never())).rejects.toThrow(new LinkLost(fault));
});

test('a stream that ends in the middle of a record is a lost connection', async () => {
  const service = await listen();
  const { link, end } = await linked(`http://127.0.0.1:${service.port}`, service);
  end.end(Buffer.concat([contentHeader(1_000), Buffer.alloc(999, 'a')]));
  const received = link.received();
  expect((await received.next()).value).toHaveLength(999);
  await expect(received.next()).rejects.toThrow(LinkLost);
});

test('a broken record closes the connection', async () => {
  const service = await listen();
  const { link, end } = await linked(`http://127.0.0.1:${service.port}`, service);
  const closed = new Promise((done) => end.on('end', done));
  end.resume();
  end.write('\0\0\0\0');
  await expect(link.received().next()).rejects.toThrow(new LinkLost('The other end sent a record of 0 bytes.'));
  await closed;
});

test('unread data applies backpressure to the sender', async () => {
  const service = await listen();
  const { link, end } = await linked(`http://127.0.0.1:${service.port}`, service);
  const piece = Buffer.concat([contentHeader(1024 * 1024), randomBytes(1024 * 1024)]);
  for (let i = 0; i < 64; i++) end.write(piece);
  let before = -1;
  await until(
    () => {
      const same = before === end.writableLength;
      before = end.writableLength;
      return same;
    },
    { every: 300, describe: 'the sender to stall' },
  );
  expect(end.writableLength).toBeGreaterThan(32 * piece.length);
  let got = 0;
  for await (const message of link.received()) {
    got += (message as Buffer).length;
    if (got === 64 * 1024 * 1024) break;
  }
  await until(() => end.writableLength === 0, { describe: 'the send buffer to drain' });
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
  const hearing = link.received().next();
  later.abort();
  await expect(hearing).rejects.toThrow(LinkLost);
});
