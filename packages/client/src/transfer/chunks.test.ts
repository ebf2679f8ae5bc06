import { randomBytes } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { ChunkMemory } from './chunk-memory.ts';
import { Chunks } from './chunks.ts';

test('chunks add up to the content, which is read on demand only', async () => {
  const content = randomBytes(1_000_000);
  let read = 0;
  function* pieces() {
    for (let at = 0; at < content.length; at += 10_000) {
      read += 10_000;
      yield content.subarray(at, at + 10_000);
    }
  }
  const chunks = new Chunks(Readable.from(pieces(), { highWaterMark: 1 }), undefined, new ChunkMemory(50_000));
  const got: Buffer[] = [];
  for (let next = await chunks.next(); next; next = await chunks.next()) {
    got.push(next.bytes);
    for (let i = 0; i < 20; i++) await new Promise(setImmediate);
    // One chunk of read-ahead and a few pieces in the stream's buffer.
    expect(read).toBeLessThanOrEqual((got.length + 1) * 50_000 + 30_000);
  }
  expect(got.length).toBe(20);
  expect(Buffer.concat(got).equals(content)).toBe(true);
  expect(await chunks.next()).toBeUndefined();
});

test('chunks read before a failure are returned, then the failure', async () => {
  const source = new PassThrough();
  const chunks = new Chunks(source, undefined, new ChunkMemory(1_000));
  source.write(Buffer.alloc(1_500, 'a'));
  expect((await chunks.next())?.bytes.length).toBe(1_000);
  source.destroy(new Error('the disk is gone'));
  await expect(chunks.next()).rejects.toThrow('the disk is gone');
});

test('a source that closes early is a failure, not the end', async () => {
  const source = new PassThrough();
  const chunks = new Chunks(source, undefined, new ChunkMemory(1_000));
  const next = chunks.next();
  source.destroy();
  await expect(next).rejects.toThrow('closed before it ended');
});
