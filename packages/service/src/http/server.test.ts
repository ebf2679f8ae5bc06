import { open } from 'node:fs/promises';
import { endpointRows } from '@hortus/contract/endpoints';
import { until } from '@hortus/testkit/until';
import { describe, expect, it } from 'vitest';
import { bearer, jsonType, sending, serve } from './testing/serve.ts';

describe('a request', () => {
  it('is answered with the status, envelope and headers of its endpoint', async () => {
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
      'cross-origin-opener-policy': 'same-origin',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    });
  });

  it('over TLS keeps browsers on TLS, and over plain HTTP does not', async () => {
    await using service = await serve({
      config: { publicUrl: 'https://hortus.example.org', trustedProxies: ['127.0.0.1'] },
    });
    const hstsOf = async (protocol: string) => {
      const headers = { ...bearer('admin'), 'x-forwarded-proto': protocol };
      return (await service.fetch('/api/v1/definitions/x', { headers })).headers.get('strict-transport-security');
    };
    expect(await hstsOf('https')).toBe('max-age=31536000');
    expect(await hstsOf('http')).toBeNull();
  });

  it('with HEAD is answered as with GET, without the body', async () => {
    await using service = await serve();
    const response = await service.fetch('/api/v1/definitions/x', { method: 'HEAD', headers: bearer('admin') });
    expect(response.status).toBe(200);
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(10);
    expect(await response.text()).toBe('');
  });

  it('keeps a valid request id and replaces an invalid one', async () => {
    await using service = await serve({ logLevel: 'debug' });
    const idFor = async (id: string) =>
      (await service.fetch('/api/v1/health', { headers: { 'x-request-id': id } })).headers.get('x-request-id');
    expect(await idFor('a.b-c_1')).toBe('a.b-c_1');
    const made = await Promise.all(['no spaces', 'x'.repeat(129), '<b>', ''].map(idFor));
    expect(new Set(made).size).toBe(4);
    for (const id of made) expect(id).toMatch(/^req_[0-9a-z_]+$/);
    await until(() => service.lines.some((line) => line.request_id === 'a.b-c_1'), { describe: 'the log line' });
  });

  it('has the address given by trusted proxies only', async () => {
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

  it('with a session may change data only from our own pages', async () => {
    await using service = await serve();
    const cookie = { cookie: 'hortus_session=console', 'hortus-page-token': 'hpt_console' };
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
    expect(login.headers.get('set-cookie')).toMatch(/^__Host-hortus_session=token;.*HttpOnly.*SameSite=Strict.*Secure/);
    const headers = {
      cookie: '__Host-hortus_session=console',
      'hortus-page-token': 'hpt_console',
      'sec-fetch-site': 'same-origin',
    };
    const logout = await service.fetch('/api/v1/account/logout', { method: 'POST', headers });
    expect(logout.headers.get('set-cookie')).toMatch(/^__Host-hortus_session=;.*1970/);
    expect(await logout.json()).toMatchObject({ data: { sessionToken: 'console' } });
  });
});

it('a session cookie has the __Host- prefix if a trusted proxy reports TLS', async () => {
  const handlers: NonNullable<Parameters<typeof serve>[0]>['handlers'] = {
    'account.login': async ({ setSession }) => {
      setSession('token', 2_000_000_000_000);
      return { success: true, data: null as never };
    },
  };
  const json = { 'content-type': 'application/json' };
  const cookieOf = async (service: Awaited<ReturnType<typeof serve>>, headers: Record<string, string>) => {
    const body = '{"email":"a@b.c","password":"x"}';
    const handle = await service.fetch('/api/v1/account/login', {
      method: 'POST',
      headers: { ...json, ...headers },
      body,
    });
    return handle.headers.get('set-cookie')?.split('=')[0];
  };
  const tls = { 'x-forwarded-proto': 'https' };
  await using proxied = await serve({ handlers, config: { trustedProxies: ['127.0.0.0/8'] } });
  await using direct = await serve({ handlers });
  expect(await cookieOf(proxied, tls)).toBe('__Host-hortus_session');
  expect(await cookieOf(proxied, { 'x-forwarded-proto': 'http' })).toBe('hortus_session');
  expect(await cookieOf(direct, {})).toBe('hortus_session');
  expect(await cookieOf(direct, tls)).toBe('hortus_session');
  const entering = async (cookie: string) =>
    (await proxied.fetch('/api/v1/account', { headers: { ...tls, cookie, 'hortus-page-token': 'hpt_console' } }))
      .status;
  expect(await entering('__Host-hortus_session=console')).toBe(200);
  expect(await entering('hortus_session=console')).toBe(401);
});

it('an endpoint without a handler prevents the start', async () => {
  await expect(serve({ handlers: { 'keys.list': undefined as never } })).rejects.toThrow(/keys\.list/);
});

it('every endpoint is reached at its path', async () => {
  const aFile = async () => ({ handle: await open(import.meta.filename), size: 10, etag: '"x"', name: 'x' });
  await using service = await serve({
    config: { rateLimits: { ...everyLimit(10_000) } },
    handlers: { 'implant.download': aFile },
  });
  for (const [name, row] of endpointRows) {
    const url = `/api/v1${row.path.replaceAll(/\{\w+\}/g, 'x')}`;
    const response = await service.fetch(url, { method: row.method, headers: bearer('admin') });
    expect([200, 201, 202, 422], `${name} ${await response.text()}`).toContain(response.status);
  }
});

const everyLimit = (limit: number) => ({ free: limit, pro: limit, enterprise: limit, anonymous: limit, server: limit });
