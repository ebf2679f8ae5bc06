import { describe, expect, it } from 'vitest';
import { onBothEngines } from '../testing/engines.ts';
import { bearer, everyResponse, noStorage, serve } from './testing/serve.ts';

describe('public pages and probes', () => {
  it('health answers its fields at the top level', async () => {
    await using service = await serve();
    const body = await (await service.fetch('/api/v1/health')).json();
    expect(body).toEqual({ success: true, status: 'healthy', timestamp: expect.any(String), version: '1.2.3' });
  });

  it('the OpenAPI document is public and has an ETag', async () => {
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
    for (const name of everyResponse) expect(styles.headers.get(name), name).toBeTruthy();
  });

  it('metrics are served only to this machine and to admins', async () => {
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

  it('metrics are refused to requests through an undeclared proxy on this machine', async () => {
    await using service = await serve();
    expect((await service.fetch('/metrics', { headers: { 'x-forwarded-for': '127.0.0.1' } })).status).toBe(401);
  });

  it('readiness fails within seconds if the database does not respond', async () => {
    await using service = await serve({ storage: { ...noStorage, ping: () => new Promise(() => {}) } });
    const response = await service.fetch('/ready');
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ success: false, error: { code: 'SERVER_ERROR' } });
  });
});

onBothEngines((engine) => {
  it('readiness follows the database, and its failure is a clean response', async () => {
    const storage = await (await engine.testDatabase()).open();
    const gone = { ...storage, ping: () => Promise.reject(new Error('gone')) };
    await using service = await serve({ storage });
    const response = await service.fetch('/ready');
    expect([response.status, await response.json()]).toEqual([200, { success: true, status: 'ready' }]);
    await using broken = await serve({ storage: gone });
    expect((await broken.fetch('/ready')).status).toBe(500);
  });
});
