import { once } from 'node:events';
import { connect } from 'node:net';
import type { LiveName } from '@hortus/contract/endpoints';
import { until } from '@hortus/testkit/until';
import { describe, expect, it } from 'vitest';
import { unauthorized } from '../problem.ts';
import type { LiveHandlers } from './handler.ts';
import { type LiveStream, MAX_UNSENT_BYTES } from './live-stream.ts';
import { bearer, fakeAuthenticator, type Served, serve } from './testing/serve.ts';

type Produce = (stream: LiveStream) => Promise<void>;
type Changes = Parameters<typeof serve>[0];

const streaming = (produce: Produce): Partial<LiveHandlers<LiveName>> => ({ 'events.list': async () => produce });
const untilEnd: Produce = async ({ signal }) => void (signal.aborted || (await once(signal, 'abort')));
const headers = { ...bearer('admin'), accept: 'text/event-stream' };

const opened = (service: Served, init: RequestInit = {}) => service.fetch('/api/v1/events', { headers, ...init });

/** Opens a stream on a socket of its own and reads nothing of it. */
async function openUnread(service: Served) {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  socket.on('error', () => {});
  socket.write(
    'GET /api/v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer admin\r\nAccept: text/event-stream\r\n\r\n',
  );
  socket.pause();
  return socket;
}

describe('an event stream', () => {
  it('sends events with ids as they come, after the time to wait before reconnecting', async () => {
    await using service = await serve({
      liveHandlers: streaming(async (stream) => {
        stream.mark('6');
        stream.write({ id: '7', event: 'change', data: { text: 'two\nlines' } });
      }),
    });
    const response = await opened(service);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    const [retry, ...rest] = (await response.text()).split('\n\n');
    expect(retry).toMatch(/^retry: \d{4}$/);
    expect(rest).toEqual(['id: 6', 'id: 7\nevent: change\ndata: {"text":"two\\nlines"}', '']);
  });

  it('responds with JSON to callers that do not ask for events, and to HEAD', async () => {
    await using service = await serve({ liveHandlers: streaming(() => Promise.reject(new Error('no stream'))) });
    const json = await service.fetch('/api/v1/events', { headers: bearer('admin') });
    expect(await json.json()).toEqual({ success: true, data: null });
    const head = await service.fetch('/api/v1/events', { method: 'HEAD', headers });
    expect(head.headers.get('content-type')).toContain('application/json');
  });

  it('refuses what is wrong with the request as usual, before it begins', async () => {
    await using service = await serve({
      liveHandlers: {
        'events.list': () => {
          throw unauthorized('not you');
        },
      },
    });
    expect((await opened(service)).status).toBe(401);
    expect((await opened(service, { headers: { ...headers, 'last-event-id': 'x'.repeat(256) } })).status).toBe(422);
    expect((await opened(service, { headers: { ...headers, ...bearer('reader') } })).status).toBe(403);
  });

  it('sends a failure of its producer as its last event, and logs it', async () => {
    await using service = await serve({ liveHandlers: streaming(() => Promise.reject(new Error('of the inside'))) });
    const text = await (await opened(service)).text();
    expect(text).toMatch(/event: error\ndata: \{"success":false,"error":\{"code":"SERVER_ERROR"/);
    expect(text).not.toContain('of the inside');
    expect(service.lines).toMatchObject([{ err: { message: 'of the inside' } }]);
  });

  it('refuses more than the limit of an account and of the process, and frees the place of a client that left', async () => {
    await using service = await serve({
      liveHandlers: streaming(untilEnd),
      config: { streamLimits: { account: 2, total: 3 } },
    });
    const leaving = new AbortController();
    await opened(service, { signal: leaving.signal });
    await opened(service);
    const refused = await opened(service);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('30');
    expect(await refused.json()).toMatchObject({
      error: { code: 'RATE_LIMITED', details: { limit: 2, reason: 'stream_limit' } },
    });
    leaving.abort();
    await until(async () => (await opened(service)).status === 200, { describe: 'the place to be free' });
    await using small = await serve({
      liveHandlers: streaming(untilEnd),
      config: { streamLimits: { account: 3, total: 2 } },
    });
    await opened(small);
    await opened(small);
    expect(await (await opened(small)).json()).toMatchObject({
      error: { message: expect.stringContaining('of this service'), details: { limit: 2, reason: 'stream_limit' } },
    });
  });

  it('bounds what it buffers for a client that does not read', async () => {
    let written = 0;
    let refused = false;
    let response: { writableLength: number } | undefined;
    await using service = await serve({
      liveHandlers: streaming(async (stream) => {
        // Larger than what the kernel takes for an unread socket.
        const data = { text: 'x'.repeat(10_000) };
        while (written < 5_000 && stream.write({ event: 'change', data })) {
          written++;
          await new Promise((done) => setImmediate(done));
        }
        refused = written < 5_000;
        await untilEnd(stream);
      }),
    });
    service.http.server.on('request', (_, of) => {
      response = of;
    });
    const socket = await openUnread(service);
    await until(() => refused, { describe: 'a refused write' });
    expect(response?.writableLength).toBeLessThan(MAX_UNSENT_BYTES + 20_000);
    socket.destroy();
  });

  it('goes on when a slow client has read, and loses nothing', async () => {
    const count = 2_000;
    await using service = await serve({
      liveHandlers: streaming(async (stream) => {
        const text = 'x'.repeat(10_000);
        for (let n = 0; n < count; ) {
          if (stream.write({ event: 'change', data: { n, text } })) n++;
          else await stream.drained();
        }
      }),
    });
    const found = (await (await opened(service)).text()).matchAll(/data: \{"n":(\d+),/g);
    expect([...found].map(([, n]) => Number(n))).toEqual(Array.from({ length: count }, (_, n) => n));
  });

  it('is cut when nothing of it is read for a while, and not while it is idle or read', async () => {
    const ended: string[] = [];
    let filled = false;
    const fill: Produce = async (stream) => {
      while (stream.write({ event: 'change', data: { text: 'x'.repeat(10_000) } }))
        await new Promise((done) => setImmediate(done));
      filled = true;
      await untilEnd(stream);
      ended.push('unread');
    };
    const idle: Produce = async (stream) => {
      await untilEnd(stream);
      ended.push('idle');
    };
    const produce = [idle, fill];
    await using service = await serve({
      unreadMs: 300,
      heartbeatMs: 100,
      liveHandlers: { 'events.list': async () => produce.shift() as Produce },
    });
    const quiet = await opened(service);
    const reader = (quiet.body as ReadableStream<Uint8Array>).getReader();
    let beats = 0;
    const reading = (async () => {
      while (!(await reader.read()).done) beats++;
    })();
    await openUnread(service);
    await until(() => filled && ended.length > 0, { describe: 'the end of the unread one' });
    const before = beats;
    await until(() => beats > before + 5, { describe: 'heartbeats of the idle one' });
    expect(ended).toEqual(['unread']);
    await reader.cancel();
    await reading;
  });

  it('ends when the service stops, without waiting for the grace period', async () => {
    const service = await serve({ liveHandlers: streaming(untilEnd), graceMs: 60_000 });
    const response = await opened(service);
    await service.http.close();
    expect(await response.text()).toMatch(/^retry: \d+\n\n$/);
  });

  const losing = (lose: { changed?: () => void; isValid: boolean }): Changes => ({
    liveHandlers: streaming(untilEnd),
    authenticator: {
      ...fakeAuthenticator,
      fromCache: () => undefined,
      authenticate: (...args) =>
        lose.isValid ? fakeAuthenticator.authenticate(...args) : Promise.reject(unauthorized('revoked')),
      onChange: (listener) => {
        lose.changed = listener;
      },
    },
  });

  it('ends at once when its credential is revoked', async () => {
    const lose = { isValid: true, changed: () => {} };
    // Without the help of the heartbeat.
    await using service = await serve({ ...losing(lose), heartbeatMs: 3_600_000 });
    const response = await opened(service);
    lose.isValid = false;
    lose.changed();
    expect(await response.text()).toContain('event: error\ndata: {"success":false,"error":{"code":"UNAUTHORIZED"');
  });

  it('notices a revoked credential without a notice, by its heartbeat', async () => {
    const lose = { isValid: true };
    await using service = await serve({ ...losing(lose), heartbeatMs: 20 });
    const response = await opened(service);
    lose.isValid = false;
    expect(await response.text()).toContain('UNAUTHORIZED');
  });
});
