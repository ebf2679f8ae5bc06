import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createClient } from './client.ts';
import { ApiProblem } from './problem.ts';
import type { StreamEvent } from './stream.ts';

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
/** Answers in order; the last one repeats. */
let script: Respond[];
let asked: IncomingMessage[];

beforeEach(async () => {
  asked = [];
  server = createServer((request, response) => {
    asked.push(request);
    (script.length > 1 ? script.shift() : script[0])?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise<unknown>((resolve) => server.close(resolve));
});

const client = (options = {}) =>
  createClient({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`,
    key: 'hk_test_1',
    retries: { baseMs: 1, maxMs: 5, attempts: 2 },
    ...options,
  });

const open = (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  response.write('retry: 1\n\n');
};
const event = (seq: number) => `id: ${seq}\nevent: change\ndata: {"seq":${seq}}\n\n`;
const sending =
  (text: string, end: 'end' | 'destroy' | 'stay' = 'end'): Respond =>
  (_, response) => {
    open(response);
    response.write(text);
    if (end === 'end') response.end();
    // After the write has reached the client.
    if (end === 'destroy') setTimeout(() => response.destroy(), 20);
  };
const refusing =
  (status: number, code: string): Respond =>
  (_, response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify({ success: false, error: { code, message: 'No.' } }));

async function first(count: number, stream: AsyncIterable<StreamEvent>): Promise<StreamEvent[]> {
  const found: StreamEvent[] = [];
  for await (const event of stream) if (found.push(event) === count) break;
  return found;
}

async function failure(stream: AsyncIterable<StreamEvent>): Promise<ApiProblem> {
  try {
    for await (const _ of stream);
  } catch (error) {
    expect(error).toBeInstanceOf(ApiProblem);
    return error as ApiProblem;
  }
  return expect.fail('expected a problem');
}

it('asks for events with the filters and the last id, and parses them', async () => {
  script = [sending(event(7), 'stay')];
  const query = { type: 'deployment.*' };
  expect(await first(1, client().stream('events.list', { query, lastEventId: '6' }))).toEqual([
    { id: '7', event: 'change', data: { seq: 7 } },
  ]);
  expect(asked[0]).toMatchObject({
    url: '/api/v1/events?type=deployment.*',
    headers: { accept: 'text/event-stream', 'last-event-id': '6', authorization: 'Bearer hk_test_1' },
  });
});

it.each(['end', 'destroy'] as const)('resumes after the last event when the connection ends by %s', async (how) => {
  script = [sending(event(1) + event(2), how), refusing(500, 'SERVER_ERROR'), sending(event(3), 'stay')];
  const seen = await first(3, client().stream('events.list'));
  expect(seen.map(({ id }) => id)).toEqual(['1', '2', '3']);
  expect(asked.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '2', '2']);
});

it('takes an event that was cut in the middle as not received', async () => {
  script = [sending(`${event(1)}id: 2\nevent: change\ndata: {"se`, 'destroy'), sending(event(2), 'stay')];
  expect((await first(2, client().stream('events.list'))).map(({ id }) => id)).toEqual(['1', '2']);
  expect(asked[1]?.headers['last-event-id']).toBe('1');
});

it('resumes from an id that came without an event', async () => {
  script = [sending('id: 41\n\n'), sending(event(42), 'stay')];
  await first(1, client().stream('events.list'));
  expect(asked[1]?.headers['last-event-id']).toBe('41');
});

it('reconnects when not even a heartbeat arrives', async () => {
  script = [sending('', 'stay'), sending(event(1), 'stay')];
  expect(await first(1, client({ silentMs: 50 }).stream('events.list'))).toHaveLength(1);
});

it('throws a refusal at once, and after it was open too', async () => {
  script = [refusing(403, 'FORBIDDEN')];
  expect(await failure(client().stream('events.list'))).toMatchObject({ code: 'FORBIDDEN', status: 403 });
  script = [sending('event: error\ndata: {"success":false,"error":{"code":"UNAUTHORIZED","message":"revoked"}}\n\n')];
  expect(await failure(client().stream('events.list'))).toMatchObject({ code: 'UNAUTHORIZED', status: 401 });
});

it('gives up an unreachable service only before the stream was open', async () => {
  script = [refusing(500, 'SERVER_ERROR')];
  expect(await failure(client().stream('events.list'))).toMatchObject({ code: 'SERVER_ERROR' });
  expect(asked).toHaveLength(2);
  script = [sending(event(1)), ...Array<Respond>(5).fill(refusing(500, 'SERVER_ERROR')), sending(event(2), 'stay')];
  expect(await first(2, client().stream('events.list'))).toHaveLength(2);
});

it('says that an older service does not stream', async () => {
  script = [
    (_, response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end('{"success":true,"data":[]}'),
  ];
  expect(await failure(client().stream('events.list'))).toMatchObject({ code: 'BAD_ANSWER' });
});

it('ends with the reason of its signal, also while it waits', async () => {
  script = [sending('', 'stay')];
  const leaving = new AbortController();
  const next = client().stream('events.list', { signal: leaving.signal }).next();
  leaving.abort(new Error('enough'));
  await expect(next).rejects.toThrow('enough');
});

it('closes the connection when the caller stops iterating', async () => {
  const closed = Promise.withResolvers<void>();
  script = [
    (request, response) => {
      request.socket.once('close', () => closed.resolve());
      sending(event(1), 'stay')(request, response);
    },
  ];
  await first(1, client().stream('events.list'));
  await closed.promise;
});

it('delivers every event once and in order, wherever the connection is cut', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: 300 }), { maxLength: 6 }), async (cuts) => {
      const all = Array.from({ length: 10 }, (_, n) => n + 1);
      const rest = (request: IncomingMessage) =>
        all
          .filter((seq) => seq > Number(request.headers['last-event-id'] ?? 0))
          .map(event)
          .join('');
      script = [
        ...cuts.map(
          (bytes): Respond =>
            (request, response) => {
              open(response);
              response.end(rest(request).slice(0, bytes));
            },
        ),
        (request, response) => sending(rest(request), 'stay')(request, response),
      ];
      const seen = await first(all.length, client().stream('events.list'));
      expect(seen.map(({ id }) => Number(id))).toEqual(all);
    }),
    { numRuns: 30 },
  );
});
