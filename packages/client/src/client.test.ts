import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ResponseOf } from '@hortus/contract/endpoint';
import type { Endpoints } from '@hortus/contract/endpoints';
import { afterEach, beforeEach, expect, expectTypeOf, test } from 'vitest';
import { type Client, type ClientOptions, createClient } from './client.ts';
import { ApiProblem } from './problem.ts';

interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}
type Reply = { status?: number; headers?: Record<string, string>; body?: unknown } | 'hang up' | 'stall';

let server: Server;
let seen: Seen[];
/** Replies in order; the last one repeats. */
let script: Reply[];

beforeEach(async () => {
  seen = [];
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
    const reply = script.length > 1 ? script.shift() : script[0];
    if (reply === 'stall') return;
    if (reply === undefined || reply === 'hang up') return request.socket.destroy();
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers });
    response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise<unknown>((resolve) => server.close(resolve));
});

const client = (options: Partial<ClientOptions> = {}): Client =>
  createClient({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/`,
    key: 'hk_test_1',
    retries: { baseMs: 1 },
    ...options,
  });

const ok = (data: unknown): Reply => ({ body: { success: true, data } });
const failure = (status: number, code: string, headers: Record<string, string> = {}): Reply => ({
  status,
  headers: { 'x-request-id': 'req-1', ...headers },
  body: { success: false, error: { code, message: 'No.', details: { field: 'name' } } },
});
const body = { name: 'web-1', environment: 'production' } as const;

async function problemOf(promise: Promise<unknown>): Promise<ApiProblem> {
  const error = await promise.then(
    () => expect.fail('expected a problem'),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ApiProblem);
  return error as ApiProblem;
}

test('a call carries key, path, query and body, and returns the envelope', async () => {
  script = [ok({ id: 'def_1', current_revision: 4 })];
  const response = await client().call('definitions.restore', { params: { id: 'a/../b', number: 3 } });
  expect(response.data.current_revision).toBe(4);
  expect(seen[0]).toMatchObject({
    method: 'POST',
    url: '/api/v1/definitions/a%2F..%2Fb/revisions/3/restore',
    body: '',
  });
  expect(seen[0]?.headers.authorization).toBe('Bearer hk_test_1');

  await client({ key: undefined }).call('definitions.archive', {
    params: { id: 'def_1' },
    query: { container: 'keep' },
  });
  expect(seen[1]?.url).toBe('/api/v1/definitions/def_1?container=keep');
  expect(seen[1]?.headers.authorization).toBeUndefined();

  await client().call('servers.register', { body });
  expect(JSON.parse(seen[2]?.body ?? '')).toEqual(body);
});

test('a path value that would leave its segment is rejected before sending', async () => {
  script = [ok({})];
  for (const id of ['', '.', '..']) {
    await expect(client().call('servers.read', { params: { id } })).rejects.toThrow(TypeError);
  }
  expect(seen).toEqual([]);
});

test('an error response is thrown with its details, and a 422 is not retried', async () => {
  script = [failure(422, 'VALIDATION_ERROR')];
  const problem = await problemOf(client().call('servers.register', { body }));
  expect(problem).toMatchObject({ code: 'VALIDATION_ERROR', status: 422, message: 'No.', requestId: 'req-1' });
  expect(problem.details).toEqual({ field: 'name' });
  expect(seen).toHaveLength(1);
});

test('a read survives a hang-up and a 500', async () => {
  script = ['hang up', failure(500, 'SERVER_ERROR'), ok([])];
  await client().call('servers.list');
  expect(seen).toHaveLength(3);
});

test('creating is retried under one idempotency key', async () => {
  script = [failure(500, 'SERVER_ERROR'), 'hang up', ok({ id: 'srv_1' })];
  await client().call('servers.register', { body });
  const keys = seen.map((s) => s.headers['idempotency-key']);
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  expect(new Set(keys).size).toBe(1);

  await client().call('servers.register', { body, idempotencyKey: 'mine' });
  expect(seen.at(-1)?.headers['idempotency-key']).toBe('mine');
});

test('a call that is neither a read nor idempotent is tried once', async () => {
  script = [failure(500, 'SERVER_ERROR')];
  const problem = await problemOf(client().call('servers.rotateKey', { params: { id: 'srv_1' } }));
  expect(problem.status).toBe(500);
  expect(seen).toHaveLength(1);
  expect(seen[0]?.headers['idempotency-key']).toBeUndefined();
});

test('a call gives up after three attempts', async () => {
  script = ['hang up'];
  const problem = await problemOf(client().call('health.read'));
  expect(problem).toMatchObject({ code: 'NETWORK', status: 0 });
  expect(problem.cause).toBeDefined();
  expect(seen).toHaveLength(3);
});

test('a 429 is retried after Retry-After, and not at all when that is too long', async () => {
  script = [failure(429, 'RATE_LIMITED', { 'retry-after': '1' }), ok([])];
  const start = performance.now();
  await client().call('servers.list');
  expect(performance.now() - start).toBeGreaterThanOrEqual(990);

  script = [failure(429, 'RATE_LIMITED', { 'retry-after': '3600' })];
  const problem = await problemOf(client().call('servers.list'));
  expect(problem).toMatchObject({ code: 'RATE_LIMITED', retryAfter: 3600 });
  expect(seen).toHaveLength(3);
});

test("a proxy's HTML page is a problem and never a result", async () => {
  script = [{ status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad gateway</h1>' }];
  expect(await problemOf(client().call('servers.list'))).toMatchObject({ code: 'BAD_ANSWER', status: 502 });
  expect(seen).toHaveLength(3);
  script = [{ status: 200, body: '<h1>Hello</h1>' }];
  expect(await problemOf(client().call('servers.list'))).toMatchObject({ code: 'BAD_ANSWER', status: 200 });
});

test('a timeout counts as no response; an abort rejects with the reason of the caller', async () => {
  script = ['stall'];
  const hasty = client({ timeoutMs: 500 });
  expect(await problemOf(hasty.call('servers.list'))).toMatchObject({ code: 'NETWORK' });
  expect(seen).toHaveLength(3);
  const reason = new Error('enough');
  const stopped = new AbortController();
  const slow = client().call('servers.list', { signal: stopped.signal });
  setTimeout(() => stopped.abort(reason), 20);
  await expect(slow).rejects.toBe(reason);
});

test('a call ends in time even if its fetch ignores the signal', async () => {
  const lost = client({ timeoutMs: 100, fetch: () => new Promise(() => {}) });
  expect(await problemOf(lost.call('servers.list'))).toMatchObject({ code: 'NETWORK' });
});

test('pages walks every page and passes the filter along', async () => {
  const page = (data: unknown[], number: number): Reply => ({
    body: { success: true, data, pagination: { page: number, per_page: 2, total: 3, total_pages: 2 } },
  });
  script = [page([{ id: 'a' }, { id: 'b' }], 1), page([{ id: 'c' }], 2)];
  const ids: string[] = [];
  for await (const page of client().pages('definitions.list', { query: { status: 'active', per_page: 2 } }))
    ids.push(page.id);
  expect(ids).toEqual(['a', 'b', 'c']);
  expect(seen.map((s) => s.url)).toEqual([
    '/api/v1/definitions?per_page=2&status=active&page=1',
    '/api/v1/definitions?per_page=2&status=active&page=2',
  ]);
});

test('types require what the contract requires', () => {
  const never = (c: Client) => {
    // @ts-expect-error path parameters are required
    c.call('definitions.read');
    // @ts-expect-error body fields are required
    c.call('servers.register', { body: { name: 'x' } });
    // @ts-expect-error a status is one of the table
    c.call('definitions.list', { query: { status: 'sleeping' } });
    // @ts-expect-error only lists have pages
    c.pages('definitions.read', { params: { id: 'x' } });
    // @ts-expect-error an endpoint without a body takes none
    c.call('servers.list', { body: {} });
    c.call('servers.list');
    // @ts-expect-error a stream takes the path parameters of its endpoint
    c.stream('logs.instance');
    // @ts-expect-error a file is downloaded, not called
    c.call('implant.download', { params: { os_type: 'linux', arch: 'arm64' } });
  };
  expect(never).toBeTypeOf('function');
});

test('a response has the type of its endpoint', () => {
  const never = async (c: Client) => {
    const { data } = await c.call('definitions.read', { params: { id: 'x' } });
    expectTypeOf(data).toEqualTypeOf<ResponseOf<Endpoints['definitions.read']>['data']>();
    expectTypeOf(data).not.toBeAny();
    // @ts-expect-error a record has only the fields of its schema
    return data.unknown;
  };
  expect(never).toBeTypeOf('function');
});

test('an unknown endpoint is refused by name, with the nearest one, before anything is sent', async () => {
  script = [ok({})];
  const untyped = client() as unknown as {
    call(name: string): Promise<unknown>;
    pages(name: string): AsyncGenerator<unknown>;
  };
  await expect(untyped.call('server.list')).rejects.toThrow(
    new TypeError('There is no endpoint named server.list. Did you mean servers.list?'),
  );
  await expect(untyped.call('toString')).rejects.toThrow('There is no endpoint named toString.');
  await expect(untyped.pages('instance.list').next()).rejects.toThrow('Did you mean instances.list?');
  expect(seen).toEqual([]);
});
