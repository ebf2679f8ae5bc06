import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { smallDisk } from '@hortus/testkit/small-disk';
import { type TemporaryFolder, temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type DownloadOptions, download } from './download.ts';

const content = randomBytes(300_000);
const sha256 = createHash('sha256').update(content).digest('hex');
let folder: TemporaryFolder;
let file: string;
let server: Server;
let reply: RequestListener;
let ranges: (string | undefined)[];

beforeEach(async () => {
  folder = temporaryFolder('download');
  file = join(folder.path, 'part');
  ranges = [];
  server = createServer((request, response) => {
    ranges.push(request.headers.range);
    reply(request, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
  await folder.remove();
});

const fetched = (more: Partial<DownloadOptions> = {}) =>
  download({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    key: () => 'hs_test_key',
    size: content.length,
    sha256,
    file,
    signal: new AbortController().signal,
    backoff: { firstMs: 1, maxMs: 5 },
    withinMs: 5_000,
    ...more,
  });

/** Answers ranges as the service does. */
const whole: RequestListener = (request, response) => {
  const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  if (from > 0) response.writeHead(206, { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` });
  response.end(content.subarray(from));
};

it('sends the server key and stores the file', async () => {
  reply = (request, response) => {
    expect(request.headers.authorization).toBe('Bearer hs_test_key');
    whole(request, response);
  };
  await fetched();
  expect(readFileSync(file)).toEqual(content);
});

it('continues after a broken connection where it ended', async () => {
  let cut = () => {};
  reply = (request, response) => {
    if (ranges.length > 1) return whole(request, response);
    response.writeHead(200, { 'content-length': content.length });
    response.write(content.subarray(0, 100_000));
    cut = () => response.destroy();
  };
  // Not before the first part has arrived.
  await fetched({ onProgress: (received) => received === 100_000 && cut() });
  expect(ranges).toEqual([undefined, 'bytes=100000-']);
  expect(readFileSync(file)).toEqual(content);
});

it('continues what an earlier process received', async () => {
  writeFileSync(file, content.subarray(0, 1_000));
  reply = whole;
  await fetched();
  expect(ranges).toEqual(['bytes=1000-']);
});

it('starts over if the file of the service has changed', async () => {
  writeFileSync(file, 'the beginning of another file');
  reply = (_, response) => response.end(content);
  await fetched();
  expect(readFileSync(file)).toEqual(content);
});

it('retries errors of the service, but not a missing file', async () => {
  reply = (request, response) => (ranges.length < 3 ? response.writeHead(503).end() : whole(request, response));
  await fetched();
  expect(ranges).toHaveLength(3);
  reply = (_, response) => response.writeHead(404).end();
  await expect(fetched({ file: `${file}.other` })).rejects.toMatchObject({ reason: 'download_failed' });
});

it('gives up when its time is over', async () => {
  reply = (_, response) => response.writeHead(503).end();
  await expect(fetched({ withinMs: 50 })).rejects.toMatchObject({
    reason: 'download_failed',
    message: expect.stringContaining('the service answered 503'),
  });
});

it('gives up an attempt in which the service sends nothing', async () => {
  reply = (request, response) => {
    if (ranges.length > 1) return whole(request, response);
    response.writeHead(200, { 'content-length': content.length });
    response.flushHeaders();
  };
  await fetched({ silenceMs: 100 });
  expect(ranges).toHaveLength(2);
});

it('refuses another size, announced or sent', async () => {
  reply = (_, response) => response.end(content.subarray(1));
  await expect(fetched()).rejects.toMatchObject({ reason: 'wrong_size' });
  // Without an announced length, endlessly.
  reply = (_, response) => {
    const more = (error?: Error | null) => error || response.write(content, more);
    response.flushHeaders();
    more();
  };
  await expect(fetched({ file: `${file}.endless` })).rejects.toMatchObject({ reason: 'wrong_size' });
  expect(readFileSync(`${file}.endless`).length).toBeLessThanOrEqual(content.length);
});

it('refuses other bytes, and does not keep them', async () => {
  reply = (_, response) => response.end(Buffer.alloc(content.length));
  await expect(fetched()).rejects.toMatchObject({ reason: 'wrong_checksum' });
  expect(readFileSync(file)).toHaveLength(0);
});

it('follows no redirect, which could receive the server key', async () => {
  reply = (request, response) =>
    request.url === '/' ? response.writeHead(302, { location: '/elsewhere' }).end() : whole(request, response);
  await expect(fetched({ withinMs: 20 })).rejects.toMatchObject({ reason: 'download_failed' });
});

it('stops at once when the daemon stops', async () => {
  const stopped = new AbortController();
  reply = (_, response) => {
    response.flushHeaders();
    stopped.abort();
  };
  await expect(fetched({ signal: stopped.signal })).rejects.toThrow('aborted');
});

it('reports a full disk at once', async () => {
  const disk = smallDisk(join(folder.path, 'disk'), 1);
  try {
    disk.fill();
    reply = whole;
    const part = join(disk.path, 'part');
    await expect(fetched({ file: part })).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(existsSync(part)).toBe(true);
  } finally {
    disk[Symbol.dispose]();
  }
});
