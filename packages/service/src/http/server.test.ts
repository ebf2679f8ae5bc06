import { setTimeout as sleep } from 'node:timers/promises';
import { endpointRows } from '@hortus/contract/endpoints';
import { until } from '@hortus/testkit/until';
import { describe, expect, it } from 'vitest';
import { conflict, notFound } from '../problem.ts';
import { onBothEngines } from '../testing/engines.ts';
import { bearer, noStorage, serve } from './test/serve.ts';

const everyAnswer = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'x-request-id'];
const jsonType = 'application/json; charset=utf-8';
const sending = (body: string, key = 'writer', type = 'application/json') => ({
  method: 'POST',
  headers: { ...bearer(key), 'content-type': type },
  body,
});

describe('every failure has our shape', () => {
  it.each([
    ['an unknown path', '/api/v1/nothing', {}, 404, 'NOT_FOUND'],
    ['a path outside the interface', '/index.php', {}, 404, 'NOT_FOUND'],
    ['an unknown method', '/api/v1/templates', { method: 'PATCH', headers: bearer('reader') }, 404, 'NOT_FOUND'],
    ['a method that HTTP does not have', '/api/v1/templates', { method: 'PROPFIND' }, 404, 'NOT_FOUND'],
    ['a malformed body on an unknown path', '/api/v1/nothing', sending('{'), 404, 'NOT_FOUND'],
    ['bad encoding in the path', '/api/v1/templates/%zz', { headers: bearer('reader') }, 404, 'NOT_FOUND'],
    [
      'an id that is too long',
      `/api/v1/definitions/${'x'.repeat(200)}`,
      { headers: bearer('admin') },
      404,
      'NOT_FOUND',
    ],
    ['an id beyond measure', `/api/v1/definitions/${'x'.repeat(2000)}`, { headers: bearer('admin') }, 404, 'NOT_FOUND'],
    ['no key', '/api/v1/templates', {}, 401, 'UNAUTHORIZED'],
    ['a wrong key', '/api/v1/templates', { headers: bearer('nobody') }, 401, 'UNAUTHORIZED'],
    ['a wrong key and a wrong body', '/api/v1/definitions', sending('{', 'nobody'), 401, 'UNAUTHORIZED'],
    ['a key without the permission, and a wrong body', '/api/v1/definitions', sending('{', 'reader'), 403, 'FORBIDDEN'],
    ['a server key where it has no business', '/api/v1/templates', { headers: bearer('daemon') }, 403, 'FORBIDDEN'],
    ['a wrong parameter', '/api/v1/templates?page=0', { headers: bearer('reader') }, 422, 'VALIDATION_ERROR'],
    ['malformed JSON', '/api/v1/definitions', sending('{"a":'), 422, 'VALIDATION_ERROR'],
    ['a poisoned prototype', '/api/v1/definitions', sending('{"inputs":{"__proto__":{}}}'), 422, 'VALIDATION_ERROR'],
    ['another content type', '/api/v1/definitions', sending('a=b', 'writer', 'text/plain'), 422, 'VALIDATION_ERROR'],
    ['no body where one is needed', '/api/v1/definitions', sending(''), 422, 'VALIDATION_ERROR'],
    ['a body over the limit', '/api/v1/definitions', sending(`"${'x'.repeat(3_000_000)}"`), 422, 'VALIDATION_ERROR'],
  ])('%s', async (_what, path, init, status, code) => {
    await using service = await serve();
    const response = await service.fetch(path, init);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe(jsonType);
    for (const name of everyAnswer) expect(response.headers.get(name), name).toBeTruthy();
    const body = (await response.json()) as { success: boolean; error: { code: string; message: string } };
    expect(body).toMatchObject({ success: false, error: { code } });
    expect(body.error.message).not.toMatch(/node_modules|\bat \//);
  });

  it('names the field, also of a chunked body over the limit', async () => {
    await using service = await serve();
    const chunks = new ReadableStream({
      start(controller) {
        for (let i = 0; i < 40; i++) controller.enqueue(new Uint8Array(65_536).fill(97));
        controller.close();
      },
    });
    const headers = { ...bearer('writer'), 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: chunks, duplex: 'half' } as RequestInit;
    const response = await service.fetch('/api/v1/definitions', init);
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ error: { details: { field: 'body' } } });
  });

  it('what a service throws keeps its message and details', async () => {
    await using service = await serve({
      handlers: {
        'definitions.create': () => Promise.reject(conflict('instance_uid', 'taken', 'is taken.', { by: 'def_1' })),
        'definitions.read': () => Promise.reject(notFound('definition')),
      },
    });
    expect(await (await service.fetch('/api/v1/definitions', sending('{}'))).json()).toEqual({
      success: false,
      error: {
        code: 'VALIDATION_ERROR',
        message: 'instance_uid: is taken.',
        details: { reason: 'taken', field: 'instance_uid', by: 'def_1' },
      },
    });
    const missing = await service.fetch('/api/v1/definitions/x', { headers: bearer('admin') });
    expect(await missing.json()).toEqual({
      success: false,
      error: { code: 'NOT_FOUND', message: 'There is no such definition.' },
    });
  });

  it('what is unexpected is logged with its stack and shown to nobody', async () => {
    await using service = await serve({
      handlers: { 'definitions.read': () => Promise.reject(new Error('disk on fire')) },
    });
    const headers = { ...bearer('admin'), 'x-request-id': 'my-request.1' };
    const response = await service.fetch('/api/v1/definitions/x?token=abc', { headers });
    expect(response.status).toBe(500);
    const text = await response.text();
    expect(text).not.toContain('fire');
    expect(JSON.parse(text).error).toMatchObject({ code: 'SERVER_ERROR', details: { request_id: 'my-request.1' } });
    expect(service.lines).toMatchObject([
      { level: 'error', request_id: 'my-request.1', path: '/api/v1/definitions/x', err: { message: 'disk on fire' } },
    ]);
    expect(JSON.stringify(service.lines)).toContain('server.test.ts');
  });
});

describe('what is no HTTP', () => {
  const answered = (text: string) => {
    const [head = '', body = ''] = text.split('\r\n\r\n');
    for (const name of everyAnswer) expect(head.toLowerCase()).toContain(`${name}: `);
    return { status: Number(head.split(' ')[1]), body: JSON.parse(body) };
  };

  it.each([
    ['nonsense', 'what\r\n\r\n', 422, 'VALIDATION_ERROR'],
    [
      'headers beyond measure',
      `GET / HTTP/1.1\r\nHost: a\r\nA: ${'x'.repeat(20_000)}\r\n\r\n`,
      422,
      'VALIDATION_ERROR',
    ],
    ['a tunnel', 'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n', 404, 'NOT_FOUND'],
  ])('%s gets an answer in our shape', async (_what, bytes, status, code) => {
    await using service = await serve();
    const answer = answered(await service.raw(bytes));
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ success: false, error: { code } });
  });

  it('an unknown expectation is not held against a request', async () => {
    await using service = await serve();
    const text = await service.raw(
      'GET /api/v1/health HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\nConnection: close\r\n\r\n',
    );
    expect(answered(text)).toMatchObject({ status: 200, body: { status: 'healthy' } });
  });
});

describe('a request', () => {
  it('is served with status, envelope and headers of its row', async () => {
    await using service = await serve({
      handlers: { 'definitions.create': async ({ body }) => ({ success: true, data: body as never }) },
    });
    const response = await service.fetch('/api/v1/definitions', sending('{"species":"inkwell"}'));
    expect(response.status).toBe(201);
    expect(await response.json()).toEqual({ success: true, data: { species: 'inkwell' } });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': jsonType,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    });
  });

  it('with HEAD is answered as with GET, without the body', async () => {
    await using service = await serve();
    const response = await service.fetch('/api/v1/definitions/x', { method: 'HEAD', headers: bearer('admin') });
    expect(response.status).toBe(200);
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(10);
    expect(await response.text()).toBe('');
  });

  it('keeps a sane request id and replaces any other', async () => {
    await using service = await serve({ logLevel: 'debug' });
    const idFor = async (id: string) =>
      (await service.fetch('/api/v1/health', { headers: { 'x-request-id': id } })).headers.get('x-request-id');
    expect(await idFor('a.b-c_1')).toBe('a.b-c_1');
    const made = await Promise.all(['no spaces', 'x'.repeat(129), '<b>', ''].map(idFor));
    expect(new Set(made).size).toBe(4);
    for (const id of made) expect(id).toMatch(/^req_[0-9a-z_]+$/);
    await until(() => service.lines.some((line) => line.request_id === 'a.b-c_1'), { describe: 'the log line' });
  });

  it('comes from whom trusted proxies name, and from nobody else', async () => {
    const seen: string[] = [];
    const handlers = {
      'account.read': async ({ address }: { address: string }) => {
        seen.push(address);
        return { success: true, data: null } as never;
      },
    };
    const headers = { ...bearer('admin'), 'x-forwarded-for': '1.1.1.1, 203.0.113.9, 10.0.0.7' };
    await using plain = await serve({ handlers });
    await plain.fetch('/api/v1/account', { headers });
    await using proxied = await serve({ handlers, config: { trustedProxies: ['127.0.0.0/8', '10.0.0.0/8'] } });
    await proxied.fetch('/api/v1/account', { headers });
    expect(seen).toEqual(['127.0.0.1', '203.0.113.9']);
  });

  it('by session changes something only from our own pages', async () => {
    await using service = await serve();
    const cookie = { cookie: 'hortus_session=console' };
    const post = (headers: Record<string, string>) =>
      service.fetch('/api/v1/account/logout', { method: 'POST', headers: { ...cookie, ...headers } });
    expect((await service.fetch('/api/v1/account', { headers: cookie })).status).toBe(200);
    expect((await post({})).status).toBe(403);
    expect((await post({ origin: 'http://evil.test' })).status).toBe(403);
    expect((await post({ origin: 'http://hortus.test' })).status).toBe(200);
  });

  it('may set and clear the session', async () => {
    await using service = await serve({
      handlers: {
        'account.login': async ({ setSession }) => {
          setSession('token', 2_000_000_000_000);
          return { success: true, data: null as never };
        },
        'account.logout': async ({ setSession, sessionToken }) => {
          setSession(null);
          return { success: true, data: { signed_out: true, sessionToken } as never };
        },
      },
      config: { publicUrl: 'https://hortus.test' },
    });
    const login = await service.fetch('/api/v1/account/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"email":"a@b.c","password":"x"}',
    });
    expect(login.headers.get('set-cookie')).toMatch(/^hortus_session=token;.*HttpOnly.*SameSite=Strict.*Secure/);
    const headers = { cookie: 'hortus_session=console', 'sec-fetch-site': 'same-origin' };
    const logout = await service.fetch('/api/v1/account/logout', { method: 'POST', headers });
    expect(logout.headers.get('set-cookie')).toMatch(/^hortus_session=;.*1970/);
    expect(await logout.json()).toMatchObject({ data: { sessionToken: 'console' } });
  });
});

it('a row without a handler stops the start', async () => {
  await expect(serve({ handlers: { 'keys.list': undefined as never } })).rejects.toThrow(/keys\.list/);
});

it('every row is reached at its path', async () => {
  await using service = await serve({ config: { rateLimits: { ...everyLimit(10_000) } } });
  for (const [name, row] of endpointRows) {
    const url = `/api/v1${row.path.replaceAll(/\{\w+\}/g, 'x')}`;
    const response = await service.http.inject({ method: row.method, url, headers: bearer('admin') });
    expect([200, 201, 202, 422], `${name} ${response.body}`).toContain(response.statusCode);
  }
});

const everyLimit = (limit: number) => ({ free: limit, pro: limit, enterprise: limit, anonymous: limit, server: limit });

describe('beside the interface', () => {
  it('health has its fields at the top level', async () => {
    await using service = await serve();
    const body = await (await service.fetch('/api/v1/health')).json();
    expect(body).toEqual({ success: true, status: 'healthy', timestamp: expect.any(String), version: '1.2.3' });
  });

  it('the OpenAPI document is public and has a tag to ask again by', async () => {
    await using service = await serve();
    const response = await service.fetch('/api/v1/openapi.json');
    expect(await response.json()).toMatchObject({
      openapi: '3.1.0',
      info: { version: '1.2.3' },
      servers: [{ url: 'http://hortus.test/api/v1' }],
    });
    const headers = { 'if-none-match': `W/"x", ${response.headers.get('etag')}` };
    expect((await service.fetch('/api/v1/openapi.json', { headers })).status).toBe(304);
  });

  it('the reference is a page that loads its style sheet and no script', async () => {
    await using service = await serve();
    const root = await service.fetch('/');
    expect([root.status, root.headers.get('location')]).toEqual([302, '/docs']);
    const page = await service.fetch('/docs');
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(await page.text()).toContain('/docs/style.css');
    const styles = await service.fetch('/docs/style.css');
    expect(styles.headers.get('content-type')).toBe('text/css; charset=utf-8');
    for (const name of everyAnswer) expect(styles.headers.get(name), name).toBeTruthy();
  });

  it('metrics are for this machine and for admins', async () => {
    await using service = await serve({ config: { trustedProxies: ['127.0.0.1/32'] } });
    await service.fetch('/api/v1/health');
    const text = await (await service.fetch('/metrics')).text();
    expect(text).toMatch(/hortus_http_requests_total\{endpoint="health.read",status="200"\} 1/);
    expect(text).toContain('nodejs_eventloop_lag');
    const elsewhere = { 'x-forwarded-for': '203.0.113.9' };
    const statusWith = async (headers: Record<string, string>) =>
      (await service.fetch('/metrics', { headers: { ...elsewhere, ...headers } })).status;
    expect(await statusWith({})).toBe(401);
    expect(await statusWith(bearer('reader'))).toBe(403);
    expect(await statusWith(bearer('admin'))).toBe(200);
  });

  it('metrics do not take an unknown proxy on this machine for this machine', async () => {
    await using service = await serve();
    expect((await service.fetch('/metrics', { headers: { 'x-forwarded-for': '127.0.0.1' } })).status).toBe(401);
  });

  it('a database that is silent makes it not ready, within seconds', async () => {
    await using service = await serve({ storage: { ...noStorage, ping: () => new Promise(() => {}) } });
    const response = await service.fetch('/ready');
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ success: false, error: { code: 'SERVER_ERROR' } });
  });
});

onBothEngines((engine) => {
  it('is ready while the database answers, and answers cleanly when it is gone', async () => {
    const storage = await (await engine.ground()).open();
    const gone = { ...storage, ping: () => Promise.reject(new Error('gone')) };
    await using service = await serve({ storage });
    const response = await service.fetch('/ready');
    expect([response.status, await response.json()]).toEqual([200, { success: true, status: 'ready' }]);
    await using broken = await serve({ storage: gone });
    expect((await broken.fetch('/ready')).status).toBe(500);
  });
});

describe('stopping', () => {
  it('lets requests in flight end, tells their clients to go, and takes no more', async () => {
    const asked = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const service = await serve({
      handlers: {
        'account.read': async () => {
          asked.resolve();
          await go.promise;
          return { success: true, data: 'in time' as never };
        },
      },
    });
    const request = service.fetch('/api/v1/account', { headers: bearer('admin') });
    await asked.promise;
    const closed = service.http.close();
    await until(
      () =>
        service.fetch('/api/v1/health').then(
          () => false,
          () => true,
        ),
      { describe: 'a refused connection' },
    );
    go.resolve();
    const response = await request;
    expect(response.headers.get('connection')).toBe('close');
    expect(await response.json()).toEqual({ success: true, data: 'in time' });
    await closed;
  });

  it('does not wait for ever', async () => {
    const asked = Promise.withResolvers<void>();
    const service = await serve({
      graceMs: 50,
      handlers: {
        'account.read': () => {
          asked.resolve();
          return new Promise(() => {});
        },
      },
    });
    const request = service.fetch('/api/v1/account', { headers: bearer('admin') }).then(
      () => 'answered',
      () => 'cut',
    );
    await asked.promise;
    await Promise.race([service.http.close(), sleep(5_000).then(() => Promise.reject(new Error('It waits.')))]);
    expect(await request).toBe('cut');
  });
});
