import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { until } from '@hortus/testkit/until';
import { describe, expect, it } from 'vitest';
import { bearer, serve } from './testing/serve.ts';

const LARGE = 'a shelf of templates; '.repeat(200);

/** Serves a catalog of which some callers see private templates, and a list of one account. */
async function serveCatalog() {
  const catalog = { version: 1, visibility: '', text: LARGE };
  const read = async () => ({ success: true, data: `${catalog.text}${catalog.visibility}` }) as never;
  const service = await serve({
    config: { rateLimits: { free: 1000, pro: 1000, enterprise: 1000, anonymous: 1000, server: 1000 } },
    catalog: { version: () => catalog.version, visibility: () => catalog.visibility },
    handlers: { 'templates.list': read, 'templates.read': read, 'definitions.list': read },
  });
  /** Without `fetch`, which asks for compression and undoes it. */
  const ask = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
    const sent = request(service.url + path, { method, headers: { ...bearer('admin'), ...headers } }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode, headers: response.headers, body: await buffer(response) };
  };
  /** Asks until the answer is compressed: while its compressed form is made, it is sent as it is. */
  const compressed = (path: string, accepted: string) =>
    until(
      async () => {
        const response = await ask(path, { 'accept-encoding': accepted });
        return response.headers['content-encoding'] === undefined ? undefined : response;
      },
      { describe: `a compressed answer of ${path}` },
    );
  return { ...service, catalog, ask, compressed };
}

const opened = {
  br: (body: Buffer) => brotliDecompressSync(body).toString(),
  gzip: (body: Buffer) => gunzipSync(body).toString(),
};

describe('a large answer that is the same for every caller', () => {
  it('is compressed as the client asks, with an ETag of its own', async () => {
    await using service = await serveCatalog();
    const plain = await service.ask('/api/v1/templates');
    expect(plain.headers).toMatchObject({ vary: 'Authorization, Cookie, Hortus-Page-Token, Accept-Encoding' });
    expect(plain.headers).not.toHaveProperty('content-encoding');
    const tags = new Set([plain.headers.etag]);
    for (const [accepted, encoding] of [
      ['gzip', 'gzip'],
      ['gzip, deflate, br', 'br'],
      ['br;q=0, GZIP;q=0.5', 'gzip'],
    ] as const) {
      const compressed = await service.compressed('/api/v1/templates', accepted);
      expect(compressed.headers).toMatchObject({
        'content-encoding': encoding,
        'content-type': plain.headers['content-type'],
        'content-length': String(compressed.body.length),
        vary: plain.headers.vary,
      });
      expect(opened[encoding](compressed.body)).toBe(plain.body.toString());
      expect(compressed.body.length).toBeLessThan(plain.body.length / 4);
      const { etag = '' } = compressed.headers;
      tags.add(etag);
      const known = { 'accept-encoding': accepted, 'if-none-match': etag };
      const fresh = await service.ask('/api/v1/templates', known);
      expect([fresh.status, fresh.body.length, fresh.headers.etag]).toEqual([304, 0, etag]);
      expect(fresh.headers).not.toHaveProperty('content-encoding');
      // The bytes that the tag stands for are not those of a client without compression.
      expect((await service.ask('/api/v1/templates', { 'if-none-match': etag })).status).toBe(200);
      const head = await service.ask('/api/v1/templates', { 'accept-encoding': accepted }, 'HEAD');
      expect([head.status, head.body.length, head.headers.etag, head.headers['content-length']]).toEqual([
        200,
        0,
        etag,
        compressed.headers['content-length'],
      ]);
    }
    expect(tags.size).toBe(3);
    service.catalog.version++;
    service.catalog.text = `newer ${LARGE}`;
    const newer = await service.compressed('/api/v1/templates', 'gzip');
    expect(opened.gzip(newer.body)).toContain('newer');
  });

  it('is compressed if it is a document of the service', async () => {
    await using service = await serveCatalog();
    for (const path of ['/api/v1/openapi.json', '/docs']) {
      const plain = await service.ask(path);
      const { headers, body } = await service.compressed(path, 'br');
      expect(headers).toMatchObject({ 'content-encoding': 'br', vary: 'Accept-Encoding' });
      expect(headers.etag).not.toBe(plain.headers.etag);
      expect(opened.br(body)).toBe(plain.body.toString());
      expect(body.length).toBeLessThan(plain.body.length / 4);
    }
  });
});

describe('an answer is sent as it is', () => {
  it.each(['identity', '*', 'br;q=0', 'gzipped', ''])('to a client that accepts "%s"', async (accepted) => {
    await using service = await serveCatalog();
    for (let attempt = 0; attempt < 3; attempt++) {
      const { headers, body } = await service.ask('/api/v1/templates', { 'accept-encoding': accepted });
      expect(headers).not.toHaveProperty('content-encoding');
      expect(body.toString()).toContain(LARGE);
    }
  });

  // Its length would tell how much the secret of one has in common with the text of another (BREACH).
  it('where it contains what only some callers see, or belongs to an account', async () => {
    await using service = await serveCatalog();
    service.catalog.visibility = 'acc_a';
    for (const path of ['/api/v1/templates', '/api/v1/templates/inkwell', '/api/v1/definitions'])
      for (let attempt = 0; attempt < 3; attempt++) {
        const { status, headers } = await service.ask(path, { 'accept-encoding': 'gzip, br' });
        expect([status, headers['content-encoding']]).toEqual([200, undefined]);
      }
  });

  it('if it is small, or asked for with parameters that are not stored', async () => {
    await using service = await serveCatalog();
    expect((await service.ask('/api/v1/templates?_=1', { 'accept-encoding': 'gzip' })).headers).not.toHaveProperty(
      'content-encoding',
    );
    service.catalog.text = 'small';
    for (let attempt = 0; attempt < 3; attempt++) {
      const { headers } = await service.ask('/api/v1/templates/inkwell', { 'accept-encoding': 'gzip' });
      expect(headers).not.toHaveProperty('content-encoding');
    }
  });
});
