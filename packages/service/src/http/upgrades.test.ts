import { connect } from 'node:net';
import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import { type Served, serve } from './testing/serve.ts';
import type { UpgradeListener } from './upgrades.ts';

const PATH = '/ws/server';

const asking = (target: string, more = '') =>
  `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n` +
  `Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n${more}\r\n`;

/** The HTTP layer with one path for upgrades, which answers each with 101 and closes it. */
async function open() {
  const service = await serve();
  service.http.upgrades.at(PATH, (_request, socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n'));
  return service;
}

const statuses = async (service: Served, bytes: string) =>
  [...(await service.raw(bytes)).matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));

test('an upgrade is accepted at its path, with or without a query', async () => {
  await using service = await open();
  expect(await statuses(service, asking(PATH))).toEqual([101]);
  expect(await statuses(service, asking(`${PATH}?a=b`))).toEqual([101]);
});

test('an upgrade is taken only to a protocol of its path', async () => {
  await using service = await open();
  const listener: UpgradeListener = (_request, socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n');
  service.http.upgrades.at('/other', listener, ['thing/2']);
  const toThing = (path: string) => asking(path).replace('websocket', 'Thing/2');
  expect(await statuses(service, toThing('/other'))).toEqual([101]);
  expect(await statuses(service, toThing(PATH))).toEqual([404]);
  expect(await statuses(service, asking('/other'))).toEqual([404]);
});

test.each([
  ['in absolute form', asking(`http://a${PATH}`), 404],
  ['with an impossible port', asking(`http://a:99999${PATH}`), 404],
  ['with an authority alone', asking('http://'), 403],
  ['to another host', asking(`//a${PATH}`), 404],
  ['to a malformed path', asking('/%'), 404],
  ['to the target *', asking('*'), 404],
  ['with a body', asking(PATH, 'Content-Length: 2\r\n').concat('{}'), 404],
  ['with a body in chunks', asking(PATH, 'Transfer-Encoding: chunked\r\n').concat('0\r\n\r\n'), 404],
])('an upgrade %s is answered once, as a plain request', async (_, bytes, status) => {
  await using service = await open();
  expect(await statuses(service, bytes)).toEqual([status]);
  expect((await service.fetch('/api/v1/health')).status).toBe(200);
});

test('an upgrade waits for the response to an earlier request on the connection', async () => {
  const go = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  await using service = await serve({
    handlers: {
      'account.read': async () => {
        asked.resolve();
        await go.promise;
        return { success: true, data: null } as never;
      },
    },
  });
  service.http.upgrades.at(PATH, (_request, socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n'));
  const first = 'GET /api/v1/account HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer admin\r\n\r\n';
  const responses = statuses(service, first + asking(PATH));
  await asked.promise;
  go.resolve();
  expect(await responses).toEqual([200, 404]);
});

test('a listener that throws closes only its own socket', async () => {
  await using service = await serve();
  service.http.upgrades.at(PATH, () => {
    throw new Error('a bug');
  });
  expect(await service.raw(asking(PATH))).toBe('');
  expect(service.lines).toMatchObject([{ level: 'error', msg: 'a listener failed' }]);
  expect((await service.fetch('/api/v1/health')).status).toBe(200);
});

test.each([
  ['a tunnel', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['an upgrade', asking(PATH)],
])('a caller that asks for %s and resets the connection does not end the process', async (_, bytes) => {
  await using service = await serve();
  let open = 0;
  service.http.upgrades.at(PATH, () => undefined);
  service.http.server.on('connection', (socket) => {
    open++;
    socket.on('close', () => open--);
  });
  const { port } = new URL(service.url);
  for (let i = 0; i < 20; i++) {
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => undefined);
    await new Promise<void>((done) => socket.on('connect', done));
    socket.write(bytes.repeat(3), () => socket.resetAndDestroy());
  }
  await until(() => open === 0, { describe: 'all connections to be closed' });
  expect((await service.fetch('/api/v1/health')).status).toBe(200);
});
