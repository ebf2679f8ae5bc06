import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { until } from '@hortus/testkit/until';
import { afterEach, describe, expect, it } from 'vitest';
import type { BodyLimits } from './body-budget.ts';
import { bearer, type Served, sending, serve } from './testing/serve.ts';

const sockets: Socket[] = [];
const hangUp = () => {
  for (const socket of sockets.splice(0)) socket.destroy();
};
afterEach(hangUp);

/** Serves until the end of a test; hangs up first, because the service would wait for unfinished requests. */
async function flooded(...options: Parameters<typeof serve>): Promise<Served> {
  const service = await serve(...options);
  const close = async () => {
    hangUp();
    await service.http.close();
  };
  return { ...service, [Symbol.asyncDispose]: close };
}

function dial({ url }: Served): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  sockets.push(socket);
  return socket;
}

const head = (length: number, key: string) =>
  `POST /api/v1/account/keys HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n` +
  `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

/** A request with an endless body, of whose bytes so many have arrived. */
function slow(service: Served, bytes: number, key = 'writer'): Socket {
  const socket = dial(service);
  socket.write(`${head(bytes + 1, key)}${' '.repeat(bytes)}`);
  return socket;
}

describe('request bodies in flight', () => {
  const limits: BodyLimits = { perCaller: 300_000, total: 500_000, reserve: 20_000 };

  it('are limited per caller: the excess gets 429 and is disconnected, and other callers are served', async () => {
    await using service = await flooded({ bodyLimits: limits });
    slow(service, 250_000);
    const refused = await until(
      async () => {
        // Larger than what a stream buffers, so that it has not arrived whole when it is refused.
        const response = await service.fetch('/api/v1/account/keys', sending(`"${'x'.repeat(900_000)}"`));
        return response.status === 429 && response;
      },
      { describe: 'the next body to be too much' },
    );
    expect(Object.fromEntries(refused.headers)).toMatchObject({ 'retry-after': '1', connection: 'close' });
    expect(await refused.json()).toMatchObject({ success: false, error: { code: 'RATE_LIMITED' } });
    const other = await service.fetch('/api/v1/account/keys', sending(`"${'x'.repeat(100_000)}"`, 'other'));
    expect(other.status).toBe(422);
    // A caller whose bodies are answered, or given up, has all its room again.
    hangUp();
    const again = async () =>
      (await service.fetch('/api/v1/account/keys', sending(`"${'x'.repeat(250_000)}"`))).status === 422;
    await until(again, { describe: 'the room of a body that was given up' });
  });

  it('are limited in total, with room for small bodies', async () => {
    await using service = await flooded({ bodyLimits: limits });
    const connected: Socket[] = [];
    service.http.server.on('connection', (socket) => connected.push(socket));
    slow(service, 250_000);
    slow(service, 240_000, 'other');
    // Asked only now: before, the large body could take the room of a slow one.
    const received = () => connected.reduce((bytes, socket) => bytes + socket.bytesRead, 0);
    await until(() => received() > 490_000, { describe: 'the slow bodies to arrive' });
    const big = sending(`"${'x'.repeat(100_000)}"`, 'admin');
    expect((await service.fetch('/api/v1/account/keys', big)).status).toBe(429);
    expect((await service.fetch('/api/v1/account/keys', sending('"x"', 'admin'))).status).toBe(422);
  });

  it('count by the memory that they use, not by their Content-Length', async () => {
    await using service = await flooded({ bodyLimits: { perCaller: 3_000, total: 3_000, reserve: 0 } });
    for (let i = 0; i < 5; i++) dial(service).write(head(900_000, 'writer'));
    expect((await service.fetch('/api/v1/account/keys', sending(`"${'x'.repeat(2_000)}"`))).status).toBe(422);
  });

  it('are refused during the upload if they are too large, and the client gets the response', async () => {
    await using service = await flooded();
    const socket = dial(service);
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
    socket.write(head(0, 'writer').replace('Content-Length: 0', 'Transfer-Encoding: chunked'));
    const response = text(socket);
    for (let i = 0; i < 20; i++) socket.write(chunk);
    expect(await response).toMatch(
      /^HTTP\/1\.1 422 [\s\S]*Connection: close[\s\S]*must not be larger than 1048576 bytes/,
    );
  });

  it('in tiny pieces are read completely', async () => {
    await using service = await flooded();
    const socket = dial(service);
    const body = JSON.stringify({ name: 'x'.repeat(3_000) });
    const pieces = [...body].map((letter) => `1\r\n${letter}\r\n`).join('');
    socket.write(
      `${head(0, 'writer').replace('Content-Length: 0', 'Connection: close\r\nTransfer-Encoding: chunked')}${pieces}0\r\n\r\n`,
    );
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 422 [\s\S]*name/);
  });
});

describe('pipelined requests on one connection', () => {
  const ask = 'GET /api/v1/account HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer admin\r\n';

  it('are not executed while the responses to earlier ones are unread', async () => {
    let begun = 0;
    // More than the kernel keeps for a connection.
    const data = 'x'.repeat(24 * 1024 * 1024);
    const read = async () => {
      begun++;
      return { success: true, data } as never;
    };
    await using service = await flooded({ handlers: { 'account.read': read } });
    let received = 0;
    service.http.server.on('request', () => received++);
    const socket = dial(service);
    socket.pause();
    socket.write(`${`${ask}\r\n`.repeat(3)}${ask}Connection: close\r\n\r\n`);
    await until(() => received === 4 && begun > 0, { describe: 'all of them to be received' });
    expect((await service.fetch('/api/v1/account', { headers: bearer('none') })).status).toBe(401);
    expect(begun).toBe(1);
    const responses = await text(socket);
    expect(responses.match(/HTTP\/1\.1 200/g)).toHaveLength(4);
    expect(begun).toBe(4);
  });

  it('close it when too many are waiting', async () => {
    const never = () => new Promise<never>(() => undefined);
    await using service = await flooded({ handlers: { 'account.read': never }, graceMs: 1 });
    const socket = dial(service);
    socket.write(`${ask}\r\n`.repeat(200));
    expect(await text(socket)).toBe('');
    expect((await service.fetch('/api/v1/health')).status).toBe(200);
  });
});

describe('connections', () => {
  const connectionLimits = { perAddress: 3, total: 100 };
  const ask = 'GET /api/v1/health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

  it('of one address are limited: the next is refused, and those far beyond are closed at once', async () => {
    await using service = await flooded({ connectionLimits });
    let open = 0;
    service.http.server.on('connection', () => open++);
    for (let i = 1; i <= 3; i++) {
      dial(service);
      await until(() => open === i, { describe: 'a connection' });
    }
    expect(await service.raw(ask)).toMatch(
      /^HTTP\/1\.1 429 [\s\S]*Retry-After: 1\r\n[\s\S]*Connection: close[\s\S]*RATE_LIMITED/,
    );
    for (let i = 5; i <= 7; i++) {
      dial(service);
      await until(() => open === i, { describe: 'a connection' });
    }
    expect(await service.raw(ask)).toBe('');
    hangUp();
    await until(async () => (await service.raw(ask)).startsWith('HTTP/1.1 200'), { describe: 'room again' });
  });

  it('of a trusted proxy do not count, because they serve many callers', async () => {
    await using service = await flooded({ connectionLimits, config: { trustedProxies: ['127.0.0.0/8'] } });
    for (let i = 0; i < 10; i++) dial(service);
    expect(await service.raw(ask)).toMatch(/^HTTP\/1\.1 200/);
  });

  it('of authenticated daemons do not count', async () => {
    await using service = await flooded({ connectionLimits });
    service.http.upgrades.at('/ws/server', (_request, socket) => {
      service.http.known(socket);
      socket.resume().once('end', () => socket.destroy());
      socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
    });
    for (let i = 0; i < 10; i++) {
      const socket = dial(service);
      socket.write('GET /ws/server HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
      await new Promise((responded) => socket.once('data', responded));
    }
    expect((await service.fetch('/api/v1/account', { headers: bearer('admin') })).status).toBe(200);
  });
});

describe('a response that is not read', () => {
  const big = 'x'.repeat(16 * 1024 * 1024);
  const ask = 'GET /api/v1/account HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer admin\r\n\r\n';

  it('is dropped with its connection after a time without progress', async () => {
    await using service = await flooded({
      unreadMs: 200,
      handlers: { 'account.read': async () => ({ success: true, data: big as never }) },
    });
    const socket = dial(service);
    socket.pause();
    let closed = false;
    service.http.server.once('connection', (served: Socket) => served.once('close', () => (closed = true)));
    socket.write(ask);
    await until(() => closed, { describe: 'the service to close the connection' });
  });

  it('keeps its connection while its handler is still working', async () => {
    const silence = Promise.withResolvers<void>();
    await using service = await flooded({
      unreadMs: 50,
      handlers: {
        'account.read': async () => {
          await silence.promise;
          return { success: true, data: null as never };
        },
      },
    });
    service.http.server.once('timeout', () => silence.resolve());
    expect((await service.fetch('/api/v1/account', { headers: bearer('admin') })).status).toBe(200);
  });
});
