import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatOne } from './format-1.fixture.ts';
import { DamagedPart, openPart, type PartIdentity, sealPart } from './sealed-part.ts';

const identity: PartIdentity = { backupKey: randomBytes(32), backupId: 'bkp_1', file: 'volume-data.part' };
const stream = (bytes: Buffer, size = 70_000) =>
  Readable.from(
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size)),
    { objectMode: false },
  );
const seal = (bytes: Buffer, as = identity) => buffer(sealPart(as, stream(bytes), () => undefined));
const open = (bytes: Buffer, as = identity, size?: number) => buffer(openPart(as, 'volume data', stream(bytes, size)));

const CHUNK = 1024 ** 2;
const START = 8 + 32;
const SEALED_CHUNK = 4 + CHUNK + 16;

test.each([0, 1, CHUNK, 2 * CHUNK, 2 * CHUNK + 5])(
  '%i bytes can be opened again and are unreadable while sealed',
  async (size) => {
    const plain = randomBytes(size);
    const sealed = await seal(plain);
    expect((await open(sealed, identity, 999_983)).equals(plain)).toBe(true);
    if (size > 100) expect(sealed.includes(plain.subarray(0, 64))).toBe(false);
  },
);

test('a part with any byte changed is refused', async () => {
  const sealed = await seal(randomBytes(3_000));
  await fc.assert(
    fc.asyncProperty(fc.nat(sealed.length - 1), fc.integer({ min: 1, max: 255 }), async (at, by) => {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ by;
      await expect(open(changed)).rejects.toThrow(DamagedPart);
    }),
    { numRuns: 300 },
  );
});

test('a part truncated anywhere, even between chunks, is refused', async () => {
  const sealed = await seal(randomBytes(2 * CHUNK + 5));
  const cuts = [0, 3, 8, 20, START, START + 4, START + SEALED_CHUNK - 1, START + SEALED_CHUNK];
  const anywhere = fc.oneof(fc.constantFrom(...cuts), fc.nat(sealed.length - 1));
  await fc.assert(
    fc.asyncProperty(anywhere, async (length) => {
      await expect(open(sealed.subarray(0, length))).rejects.toThrow(
        /^The backup of volume data cannot be used: it is cut off in chunk \d\.$/,
      );
    }),
    { numRuns: 60 },
  );
  await expect(open(Buffer.concat([sealed, Buffer.alloc(1)]))).rejects.toThrow('there is data after its last chunk');
});

test('chunks in any other order, repeated or left out, are refused', async () => {
  const sealed = await seal(randomBytes(3 * CHUNK + 5));
  const chunks = [0, 1, 2, 3].map((index) =>
    sealed.subarray(START + index * SEALED_CHUNK, START + (index + 1) * SEALED_CHUNK),
  );
  const order = fc.array(fc.nat(3), { minLength: 1, maxLength: 5 }).filter((item) => item.join() !== '0,1,2,3');
  await fc.assert(
    fc.asyncProperty(order, async (indexes) => {
      const other = Buffer.concat([sealed.subarray(0, START), ...indexes.map((index) => chunks[index] as Buffer)]);
      await expect(open(other)).rejects.toThrow(DamagedPart);
    }),
    { numRuns: 40 },
  );
});

test('the damaged chunk is named', async () => {
  const sealed = await seal(randomBytes(3 * CHUNK));
  const inSecond = START + SEALED_CHUNK + 500;
  sealed[inSecond] = (sealed[inSecond] ?? 0) ^ 1;
  await expect(open(sealed)).rejects.toThrow('The backup of volume data cannot be used: chunk 2 is damaged.');
});

test.each<[string, Partial<PartIdentity>]>([
  ['backup', { backupId: 'bkp_2' }],
  ['file', { file: 'volume-other.part' }],
  ['key', { backupKey: randomBytes(32) }],
])('a part of another %s is refused', async (_, other) => {
  const sealed = await seal(randomBytes(3_000));
  await expect(open(sealed, { ...identity, ...other })).rejects.toThrow('chunk 1 is damaged');
});

test('chunks of two writes of the same part cannot be mixed', async () => {
  const [first, second] = await Promise.all([seal(randomBytes(CHUNK + 5)), seal(randomBytes(CHUNK + 5))]);
  const at = START + SEALED_CHUNK;
  await expect(open(Buffer.concat([first.subarray(0, at), second.subarray(at)]))).rejects.toThrow('chunk 2 is damaged');
  await expect(open(Buffer.concat([first.subarray(0, START), second.subarray(START)]))).rejects.toThrow(
    'chunk 1 is damaged',
  );
});

const asFormatOne: PartIdentity = {
  backupKey: formatOne.key,
  backupId: formatOne.place.backupId,
  file: formatOne.part.file,
};

test('a part of format 1 still opens', async () => {
  const opened = await open(formatOne.stored, asFormatOne);
  expect(zstdDecompressSync(opened).toString()).toBe(formatOne.content);
});

test('a part does not open under the mark of the other format', async () => {
  const newer = Buffer.concat([Buffer.from('HORTUSB2'), randomBytes(32), formatOne.stored.subarray(8)]);
  await expect(open(newer, asFormatOne)).rejects.toThrow('chunk 1 is damaged');
  const relabelled = Buffer.concat([Buffer.from('HORTUSB2'), formatOne.stored.subarray(8)]);
  await expect(open(relabelled, asFormatOne)).rejects.toThrow(DamagedPart);
  const sealed = await seal(randomBytes(3_000));
  const older = Buffer.concat([Buffer.from('HORTUSB1'), sealed.subarray(START)]);
  await expect(open(older)).rejects.toThrow('chunk 1 is damaged');
  const unknown = Buffer.concat([Buffer.from('HORTUSB3'), sealed.subarray(8)]);
  await expect(open(unknown)).rejects.toThrow('it does not start like a part of format 1 or 2');
});
