import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { bearer, serve } from './testing/serve.ts';

/** A catalog that counts how often it is really asked. */
async function serveCatalog() {
  const catalog = { version: 1, visibility: '', asked: 0, during: async () => {} };
  const read = async () => {
    catalog.asked++;
    const version = catalog.version;
    await catalog.during();
    return { success: true, data: `größe ${version} ${catalog.visibility}` } as never;
  };
  const service = await serve({
    config: { rateLimits: { free: 1000, pro: 4, enterprise: 1000, anonymous: 9, server: 9 } },
    catalog: { version: () => catalog.version, visibility: () => catalog.visibility },
    handlers: { 'templates.list': read, 'templates.read': read, 'taxonomy.tree': read },
  });
  const get = (path: string, headers: Record<string, string> = {}) =>
    service.fetch(`/api/v1${path}`, { headers: { ...bearer('reader'), ...headers } });
  return { ...service, catalog, get };
}

describe('a hot read', () => {
  it('is computed once and answered with identical bytes', async () => {
    await using service = await serveCatalog();
    const [first, second] = [await service.get('/templates/inkwell'), await service.get('/templates/inkwell')];
    expect(service.catalog.asked).toBe(1);
    expect(await second.text()).toBe('{"success":true,"data":"größe 1 "}');
    for (const name of ['etag', 'cache-control', 'content-type', 'content-length', 'vary', 'x-content-type-options']) {
      expect(second.headers.get(name), name).toBe(first.headers.get(name));
    }
    expect(second.headers.get('etag')).toMatch(/^"[\w-]{32}"$/);
    expect(second.headers.get('cache-control')?.split(', ')).toContain('max-age=60');
    const [a, b] = [first, second].map((response) => Number(response.headers.get('x-ratelimit-remaining')));
    expect(b).toBe((a as number) - 1);
    expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
  });

  it('responds with 304 to a matching ETag, cached or not', async () => {
    await using service = await serveCatalog();
    const etag = (await service.get('/templates')).headers.get('etag') as string;
    for (const path of ['/templates', '/templates?fresh=1']) {
      for (const tag of [etag, `W/${etag}`, `"a", ${etag}`, '*']) {
        const response = await service.get(path, { 'if-none-match': tag });
        expect([response.status, await response.text(), response.headers.get('etag')]).toEqual([304, '', etag]);
        expect(response.headers.get('x-ratelimit-remaining')).toBeTruthy();
      }
      expect((await service.get(path, { 'if-none-match': '"other"' })).status).toBe(200);
    }
  });

  it('is computed again when the catalog changes, even during the computation', async () => {
    await using service = await serveCatalog();
    await service.get('/templates');
    service.catalog.version = 2;
    expect(await (await service.get('/templates')).text()).toContain('größe 2');
    service.catalog.version = 3;
    service.catalog.during = async () => {
      service.catalog.version = 4;
    };
    expect(await (await service.get('/templates')).text()).toContain('größe 3');
    service.catalog.during = async () => {};
    expect(await (await service.get('/templates')).text()).toContain('größe 4');
  });

  it('is shared only among callers with the same visibility', async () => {
    await using service = await serveCatalog();
    await service.get('/templates');
    service.catalog.visibility = 'acc_a';
    expect(await (await service.get('/templates')).text()).toContain('acc_a');
    service.catalog.visibility = '';
    expect(await (await service.get('/templates')).text()).not.toContain('acc_a');
    expect(service.catalog.asked).toBe(2);
  });

  it('is computed for a unique query string, which is not cached', async () => {
    await using service = await serveCatalog();
    for (let i = 0; i < 3; i++) await service.get('/templates?_=same');
    expect(service.catalog.asked).toBe(3);
    for (let i = 0; i < 3; i++) await service.get('/templates?page=2');
    expect(service.catalog.asked).toBe(4);
  });

  it('still checks key, permission and rate limit', async () => {
    await using service = await serveCatalog();
    await service.get('/templates');
    const statusOf = async (key: string) => (await service.get('/templates', bearer(key))).status;
    expect(await statusOf('unknown')).toBe(401);
    expect(await statusOf('writer')).toBe(403);
    expect(await statusOf('daemon')).toBe(403);
    expect(await statusOf('admin')).toBe(200);
    expect((await service.fetch('/api/v1/templates')).status).toBe(401);
    expect(service.catalog.asked).toBe(1);
  });

  it('counts against the rate limit, which responds with 429 in the error envelope', async () => {
    await using service = await serve({
      config: { rateLimits: { free: 5, pro: 1, enterprise: 1, anonymous: 1, server: 1 } },
      clock: () => 0,
    });
    const statuses: number[] = [];
    for (let i = 0; i < 7; i++)
      statuses.push((await service.fetch('/api/v1/templates', { headers: bearer('reader') })).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
    const refused = await service.fetch('/api/v1/templates', { headers: bearer('reader') });
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(await refused.json()).toMatchObject({ success: false, error: { code: 'RATE_LIMITED' } });
  });

  it('accepts headers in any case, keeps the request id and is counted in the metrics', async () => {
    await using service = await serveCatalog();
    await service.get('/taxonomy/tree');
    const id = await new Promise((done, fail) => {
      const headers = { AUTHORIZATION: 'Bearer reader', 'X-REQUEST-ID': 'mine' };
      request(`${service.url}/api/v1/taxonomy/tree`, { headers }, (response) => {
        response.resume().on('end', () => done(response.headers['x-request-id']));
      })
        .on('error', fail)
        .end();
    });
    expect(id).toBe('mine');
    expect(service.catalog.asked).toBe(1);
    const metrics = await (await service.fetch('/metrics')).text();
    expect(metrics).toContain('hortus_http_requests_total{endpoint="taxonomy.tree",status="200"} 2');
  });

  it('responds to HEAD without the cache', async () => {
    await using service = await serveCatalog();
    const full = await service.get('/templates');
    const head = await service.fetch('/api/v1/templates', { method: 'HEAD', headers: bearer('reader') });
    expect([head.status, head.headers.get('etag')]).toEqual([200, full.headers.get('etag')]);
  });
});
