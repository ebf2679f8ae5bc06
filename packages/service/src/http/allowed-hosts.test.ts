import { describe, expect, it } from 'vitest';
import { allowedHosts, isLoopbackHost } from './allowed-hosts.ts';
import { type Served, serve } from './testing/serve.ts';

describe('a host', () => {
  const allows = allowedHosts('https://Hortus.example.org/base', ['hortus.internal']);

  it.each([
    'hortus.example.org',
    'HORTUS.example.org:443',
    'hortus.example.org.',
    'hortus.internal:8420',
    'localhost:8420',
    'x.localhost',
    '127.0.0.1:8420',
    '192.0.2.7',
    '[::1]:8420',
  ])('%s is allowed', (host) => expect(allows(host)).toBe(true));

  it.each([
    undefined,
    '',
    'evil.example',
    'hortus.example.org.evil.example',
    'hortus.internal@evil.example',
    '127.0.0.1.evil.example',
    '[::1',
    'localhost:80:80',
  ])('%s is refused', (host) => expect(allows(host)).toBe(false));

  it.each([
    ['127.0.0.1:1', true],
    ['[::1]:1', true],
    ['localhost', true],
    ['192.0.2.7', false],
    ['evil.example', false],
    [undefined, false],
  ])('%s belongs to this machine: %s', (host, is) => expect(isLoopbackHost(host)).toBe(is));
});

describe('a foreign page whose name resolves to this service (DNS rebinding)', () => {
  const status = async (service: Served, path: string, { host = 'evil.example', target = path, header = '' } = {}) => {
    const more = header === '' ? '' : `${header}\r\n`;
    const response = await service.raw(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\n${more}Connection: close\r\n\r\n`);
    return Number(response.slice('HTTP/1.1 '.length).slice(0, 3));
  };
  const cookie = 'Cookie: hortus_session=console\r\nHortus-Page-Token: hpt_console';

  it('is served no page and cannot use the session', async () => {
    await using service = await serve();
    expect(await status(service, '/')).toBe(403);
    expect(await status(service, '/docs')).toBe(403);
    expect(await status(service, '/api/v1/account', { header: cookie })).toBe(403);
    expect(await status(service, '/api/v1/account', { header: cookie, host: 'hortus.test' })).toBe(200);
    expect(await status(service, '/docs', { host: 'hortus.test' })).toBe(200);
    // Where both are said, the target counts.
    expect(await status(service, '/docs', { host: 'hortus.test', target: 'http://evil.example/docs' })).toBe(403);
  });

  it('cannot read metrics, even from a browser on this machine', async () => {
    await using service = await serve();
    expect(await status(service, '/metrics')).toBe(401);
    expect(await status(service, '/metrics', { header: cookie })).toBe(403);
    expect(await status(service, '/metrics', { host: 'localhost:8420' })).toBe(200);
    expect(await status(service, '/metrics', { header: 'Authorization: Bearer admin' })).toBe(200);
  });

  it('requests with a key, health and readiness accept any host name', async () => {
    await using service = await serve();
    expect(await status(service, '/api/v1/account', { header: 'Authorization: Bearer admin' })).toBe(200);
    expect(await status(service, '/api/v1/health')).toBe(200);
    expect(await status(service, '/ready')).toBe(200);
  });

  it('a host name configured by the operator is allowed', async () => {
    await using service = await serve({ config: { allowedHosts: ['evil.example'] } });
    expect(await status(service, '/docs')).toBe(200);
  });
});
