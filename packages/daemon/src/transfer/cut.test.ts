import { ChunkMemory } from '@hortus/client/transfer/chunk-memory';
import { isCalled } from '@hortus/client/transfer/chunk-name';
import { Cutter, type NamedChunk } from '@hortus/client/transfer/cut';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tarOf } from '../engine/docker/tar.ts';

function* inPieces(bytes: Buffer, sizes: readonly number[]): Generator<Buffer> {
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

function chunksOf(bytes: Buffer, sizes: readonly number[], max: number): NamedChunk[] {
  const cutter = new Cutter(undefined, new ChunkMemory(max));
  return [...[...inPieces(bytes, sizes)].flatMap((piece) => cutter.take(piece)), ...cutter.end()];
}

const names = (chunks: readonly NamedChunk[]): string[] => chunks.map(({ name }) => name);

const sizes = fc.array(fc.integer({ min: 1, max: 300_000 }), { minLength: 1, maxLength: 5 });
/** Splits as engines do: never inside a header. */
const blocks = fc.array(
  fc.integer({ min: 1, max: 400 }).map((count) => count * 512),
  { minLength: 1, maxLength: 4 },
);
const tar = (files: readonly (readonly [string, number])[]): Buffer =>
  tarOf(files.map(([path, size]) => ({ path, mode: '0644', content: path.repeat(size).slice(0, size) })));

test('chunks add up to the content and respect the size limit', () => {
  const anything = fc.oneof(
    fc.uint8Array({ maxLength: 5_000 }).map((bytes) => Buffer.from(bytes)),
    fc
      .array(fc.tuple(fc.stringMatching(/^\/[a-z]{1,20}$/), fc.integer({ min: 0, max: 400_000 })), { maxLength: 5 })
      .map(tar),
  );
  fc.assert(
    fc.property(anything, sizes, fc.integer({ min: 600, max: 500_000 }), (bytes, pieces, max) => {
      const chunks = chunksOf(bytes, pieces, max);
      expect(Buffer.concat(chunks.map((chunk) => chunk.bytes)).equals(bytes)).toBe(true);
      for (const chunk of chunks) {
        expect(chunk.bytes.length > 0 && chunk.bytes.length <= max).toBe(true);
        expect(isCalled(chunk.bytes, chunk.name, undefined)).toBe(true);
      }
    }),
    { numRuns: 60 },
  );
});

test('a file that grows changes its own chunks and those of small files around it, not those of other large files', () => {
  const files = (size: number) =>
    tar([
      ['/a', 200_000],
      ['/b', size],
      ['/c', 300_000],
      ['/small', 10],
      ['/d', 400_000],
    ]);
  const before = chunksOf(files(150_000), [65_536], 4_000_000);
  const after = chunksOf(files(190_000), [30_000], 4_000_000);
  const known = new Set(names(before));
  const changed = after.filter(({ name }) => !known.has(name));
  expect(after.length).toBeGreaterThanOrEqual(4);
  expect(changed).toHaveLength(1);
  expect(changed[0]?.bytes.includes('/b/b')).toBe(true);
});

test('equal bytes are cut equally, however they are split', () => {
  const bytes = tar([
    ['/a', 700_000],
    ['/b', 3],
    ['/c', 129_000],
  ]);
  const whole = names(chunksOf(bytes, [512], 400_000));
  fc.assert(
    fc.property(blocks, (pieces) => {
      expect(names(chunksOf(bytes, pieces, 400_000))).toEqual(whole);
    }),
    { numRuns: 30 },
  );
});
