import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { growth } from '@hortus/testkit/growth';
import { describe, expect, it } from 'vitest';
import { takesEncoding } from './accepted-encoding.ts';
import type { ConsoleFile, ConsoleFiles } from './console-files.ts';
import { serve } from './testing/serve.ts';

const file = (text: string, type: string): ConsoleFile => ({
  type,
  etag: `W/"${text}"`,
  plain: Buffer.from(text),
  br: brotliCompressSync(text),
  gzip: gzipSync(text),
});
const page = (text: string) => ({ ...file(text, 'text/html; charset=utf-8'), scriptHash: `sha256-of ${text}` });
const files: ConsoleFiles = {
  page: page('the page'),
  terminal: page('the terminal'),
  assets: new Map([['main-1a2b.js', file('the script', 'text/javascript; charset=utf-8')]]),
};
const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

describe('the console', () => {
  it('is one page at / and at the paths of its routes, under a policy that allows its one script by the hash', async () => {
    await using service = await serve({ console: files });
    for (const path of ['/', '/instances', '/instances/ins_1?tab=logs', '/invite', '/a/b/c']) {
      const response = await service.fetch(path, { headers: browser });
      expect([response.status, await response.text()], path).toEqual([200, 'the page']);
      expect(response.headers.get('content-security-policy')).toBe(
        "default-src 'none'; script-src 'self' 'sha256-of the page'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
      );
      expect(response.headers.get('cache-control')).toBe('no-cache');
    }
  });

  it('has the terminal in a frame of its own, which no other site may show and which runs only its own script', async () => {
    await using service = await serve({ console: files });
    const response = await service.fetch('/frames/terminal', { headers: browser });
    expect([response.status, await response.text()]).toEqual([200, 'the terminal']);
    const policy = response.headers.get('content-security-policy');
    expect(policy).toContain("frame-ancestors 'self'");
    expect(policy).toContain("script-src 'self' 'sha256-of the terminal';");
  });

  it('leaves the paths of the service alone, and answers programs that mistype a path with 404', async () => {
    await using service = await serve({ console: files });
    for (const path of [
      '/api/v1/nothing',
      '/api',
      '/docs/nothing',
      '/frames/nothing',
      '/health',
      '/metrics/x',
      '/ready/x',
      '/ws/x',
      '/assets/x.js',
    ])
      expect((await service.fetch(path, { headers: browser })).status, path).toBe(404);
    expect((await service.fetch('/instances')).status).toBe(404);
    expect((await service.fetch('/instances', { method: 'POST', headers: browser })).status).toBe(404);
    expect(await (await service.fetch('/docs', { headers: browser })).text()).toContain('/docs/style.css');
    expect((await service.fetch('/api/v1/health', { headers: browser })).headers.get('content-type')).toContain('json');
  });

  it('sends its files compressed and cacheable for ever', async () => {
    await using service = await serve({ console: files });
    const get = (encoding: string, more = {}) =>
      service.raw(
        `GET /assets/main-1a2b.js HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAccept-Encoding: ${encoding}\r\n${Object.entries(
          more,
        )
          .map(([name, value]) => `${name}: ${value}\r\n`)
          .join('')}\r\n`,
      );
    expect(await get('gzip, br')).toContain('Content-Encoding: br');
    expect(await get('gzip, br;q=0')).toContain('Content-Encoding: gzip');
    const plain = await get('identity');
    expect(plain).not.toContain('Content-Encoding');
    expect(plain).toContain('Cache-Control: public, max-age=31536000, immutable');
    expect(plain).toContain('Vary: Accept-Encoding');
    expect(await get('br', { 'If-None-Match': 'W/"the script"' })).toMatch(/^HTTP\/1.1 304/);
    for (const [encoding, unpack] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const { [encoding]: body } = files.assets.get('main-1a2b.js') as ConsoleFile;
      expect(unpack(body as Buffer).toString()).toBe('the script');
    }
  });

  it('a path cannot leave the folder of the files', async () => {
    await using service = await serve({ console: files });
    for (const path of [
      '/assets/../../package.json',
      '/assets/..%2f..%2fpackage.json',
      '/assets/%2e%2e/package.json',
      '/assets/constructor',
      '/assets/',
    ]) {
      const handle = await service.raw(
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\nConnection: close\r\n\r\n`,
      );
      expect(handle, path).toMatch(/^HTTP\/1.1 404/);
    }
  });

  it('is refused under a foreign host name, so that DNS rebinding gets no page', async () => {
    await using service = await serve({ console: files });
    const handle = await service.raw(
      'GET /instances HTTP/1.1\r\nHost: evil.example\r\nAccept: text/html\r\nConnection: close\r\n\r\n',
    );
    expect(handle).toMatch(/^HTTP\/1.1 403/);
  });

  it('leads to the reference if it was not built', async () => {
    await using service = await serve();
    const root = await service.fetch('/', { headers: browser });
    expect([root.status, root.headers.get('location')]).toEqual([302, '/docs']);
    expect((await service.fetch('/instances', { headers: browser })).status).toBe(404);
  });
});

it.each([' ', ',', ';', 'q=', '=', 'br;'])('Accept-Encoding with a run of %j is read in linear time', (unit) => {
  expect(growth((length) => takesEncoding(`x;${unit.repeat(length)}y`, 'br'), 15_800)).toBeLessThan(8);
});
