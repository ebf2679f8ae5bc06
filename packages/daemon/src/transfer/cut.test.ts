import { ChunkMemory } from '@hortus/client/transfer/chunk-memory';
import { chunkName } from '@hortus/client/transfer/chunk-name';
import { cut } from '@hortus/client/transfer/cut';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tarOf } from '../engine/docker/tar.ts';

async function* inPieces(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

async function chunksOf(bytes: Buffer, sizes: readonly number[], most: number): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  for await (const chunk of cut(inPieces(bytes, sizes), new ChunkMemory(most))) chunks.push(chunk);
  return chunks;
}

const hashes = (chunks: readonly Buffer[]): string[] => chunks.map((chunk) => chunkName(chunk, undefined));

const sizes = fc.array(fc.integer({ min: 1, max: 300_000 }), { minLength: 1, maxLength: 5 });
/** As engines write: a header comes whole. */
const blocks = fc.array(
  fc.integer({ min: 1, max: 400 }).map((count) => count * 512),
  { minLength: 1, maxLength: 4 },
);
const tar = (files: readonly (readonly [string, number])[]): Buffer =>
  tarOf(files.map(([path, size]) => ({ path, mode: '0644', content: path.repeat(size).slice(0, size) })));

test('the chunks of anything are its bytes, none of them too long', async () => {
  const anything = fc.oneof(
    fc.uint8Array({ maxLength: 5_000 }).map((bytes) => Buffer.from(bytes)),
    fc
      .array(fc.tuple(fc.stringMatching(/^\/[a-z]{1,20}$/), fc.integer({ min: 0, max: 400_000 })), { maxLength: 5 })
      .map(tar),
  );
  await fc.assert(
    fc.asyncProperty(anything, sizes, fc.integer({ min: 600, max: 500_000 }), async (bytes, pieces, most) => {
      const chunks = await chunksOf(bytes, pieces, most);
      expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
      for (const { length } of chunks) expect(length > 0 && length <= most).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test('a file that grows changes its own chunks and those of small files around it, not those of other large files', async () => {
  const files = (size: number) =>
    tar([
      ['/a', 200_000],
      ['/b', size],
      ['/c', 300_000],
      ['/small', 10],
      ['/d', 400_000],
    ]);
  const before = await chunksOf(files(150_000), [65_536], 4_000_000);
  const after = await chunksOf(files(190_000), [30_000], 4_000_000);
  const known = new Set(before.map((chunk) => chunk.toString('latin1')));
  const changed = after.filter((chunk) => !known.has(chunk.toString('latin1')));
  expect(after.length).toBeGreaterThanOrEqual(4);
  expect(changed).toHaveLength(1);
  expect(changed[0]?.includes('/b/b')).toBe(true);
});

test('the same bytes are cut alike, however they come', async () => {
  const bytes = tar([
    ['/a', 700_000],
    ['/b', 3],
    ['/c', 129_000],
  ]);
  const whole = hashes(await chunksOf(bytes, [512], 400_000));
  await fc.assert(
    fc.asyncProperty(blocks, async (pieces) => {
      expect(hashes(await chunksOf(bytes, pieces, 400_000))).toEqual(whole);
    }),
    { numRuns: 30 },
  );
});
