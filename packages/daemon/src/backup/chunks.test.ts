import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DamagedPart, OpenChunks, partKey, SealChunks } from './chunks.ts';

const key = partKey(randomBytes(32), 'bkp_1', 'volume-data');
const stream = (bytes: Buffer, size = 70_000) =>
  Readable.from(
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size)),
    { objectMode: false },
  );
const seal = (bytes: Buffer) => buffer(stream(bytes).pipe(new SealChunks(key)));
const open = (bytes: Buffer, size?: number) => buffer(stream(bytes, size).pipe(new OpenChunks(key, 'volume data')));

/** None, some, exactly one chunk, exactly two, and a little more. */
const sizes = [0, 1, 1024 ** 2, 2 * 1024 ** 2, 2 * 1024 ** 2 + 5];

test.each(sizes)('%i bytes come back, and nothing of them is to be seen meanwhile', async (size) => {
  const plain = randomBytes(size);
  const sealed = await seal(plain);
  expect((await open(sealed, 999_983)).equals(plain)).toBe(true);
  if (size > 100) expect(sealed.includes(plain.subarray(0, 64))).toBe(false);
});

test('whatever byte is changed, the part is refused', async () => {
  const sealed = await seal(randomBytes(3_000));
  await fc.assert(
    fc.asyncProperty(fc.nat(sealed.length - 1), fc.integer({ min: 1, max: 255 }), async (at, by) => {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ by;
      await expect(open(changed)).rejects.toThrow(DamagedPart);
    }),
    { numRuns: 200 },
  );
});

test('whatever is cut off, be it whole chunks, the part is refused', async () => {
  const sealed = await seal(randomBytes(2 * 1024 ** 2 + 5));
  const first = 8 + 4 + 1024 ** 2 + 16;
  for (const length of [0, 3, 8, 12, first - 1, first, 2 * first - 8, sealed.length - 1]) {
    await expect(open(sealed.subarray(0, length))).rejects.toThrow(
      /^The backup of volume data cannot be used: it is cut/,
    );
  }
  await expect(open(Buffer.concat([sealed, Buffer.alloc(1)]))).rejects.toThrow('something follows its last chunk');
});

test('the chunk that is damaged is named', async () => {
  const sealed = await seal(randomBytes(3 * 1024 ** 2));
  const inSecond = 8 + (4 + 1024 ** 2 + 16) + 500;
  sealed[inSecond] = (sealed[inSecond] ?? 0) ^ 1;
  await expect(open(sealed)).rejects.toThrow('The backup of volume data cannot be used: chunk 2 is damaged.');
});

test('chunks that have changed places, and parts of another key, are refused', async () => {
  const sealed = await seal(randomBytes(3 * 1024 ** 2));
  const one = 4 + 1024 ** 2 + 16;
  const [mark, a, b, rest] = [0, 8, 8 + one, 8 + 2 * one].map((at, turn, all) => sealed.subarray(at, all[turn + 1]));
  const exchanged = Buffer.concat([mark, b, a, rest] as Buffer[]);
  await expect(open(exchanged)).rejects.toThrow('chunk 1 is damaged');
  const other = new OpenChunks(partKey(randomBytes(32), 'bkp_1', 'volume-data'), 'volume data');
  await expect(buffer(stream(sealed).pipe(other))).rejects.toThrow('chunk 1 is damaged');
});
