import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chunkOffered, isCalled, keyIn, Naming } from './chunk-name.ts';

const key = randomBytes(32);
const chunkName = (bytes: Buffer, by: Buffer | undefined) => new Naming(by).add(bytes).name();

test.each([
  ['with a key', key, /^[0-9a-f]{32}$/],
  ['without a key', undefined, /^[0-9a-f]{64}$/],
])('a name %s identifies exactly these bytes', (_, by, shape) => {
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 5_000 }).map((content) => Buffer.from(content));
  fc.assert(
    fc.property(bytes, fc.nat(), (chunk, place) => {
      const name = chunkName(chunk, by);
      expect(name).toMatch(shape);
      expect(isCalled(Buffer.from(chunk), name, key)).toBe(true);
      const cut = place % (chunk.length + 1);
      expect(new Naming(by).add(chunk.subarray(0, cut)).add(chunk.subarray(cut)).name()).toBe(name);
      const flipped = Buffer.from(chunk);
      const bit = place % (chunk.length * 8);
      flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(isCalled(flipped, name, key)).toBe(false);
      expect(isCalled(Buffer.concat([chunk, Buffer.alloc(1)]), name, key)).toBe(false);
    }),
  );
});

test('another key gives another name', () => {
  expect(chunkName(Buffer.from('chunk'), randomBytes(32))).not.toBe(chunkName(Buffer.from('chunk'), key));
});

test('the name is standard AES-256-GMAC', () => {
  // Test case 13 of the GCM proposal: no bytes, key and nonce all zeros.
  expect(chunkName(Buffer.alloc(0), Buffer.alloc(32))).toBe('530f8afbc74536b9a963b4f1c4cb738b');
});

test('a key is absent or has 32 bytes', () => {
  expect(keyIn({})).toBeUndefined();
  expect(keyIn({ key: key.toString('base64') })).toEqual(key);
  expect(() => keyIn({ key: 'c2hvcnQ=' })).toThrow('must have 32 bytes');
});

const offer = { type: 'offer', index: 3, length: 10 } as const;
test('an offer needs a name that is safe as a file name and a length within the limit', () => {
  const mac = '0'.repeat(32);
  expect(chunkOffered({ ...offer, mac })).toEqual({ index: 3, name: mac, length: 10 });
  expect(chunkOffered({ ...offer, sha256: 'a'.repeat(64) }).name).toBe('a'.repeat(64));
  expect(() => chunkOffered(offer)).toThrow('invalid name');
  expect(() => chunkOffered({ ...offer, sha256: `../../${'a'.repeat(58)}` })).toThrow('invalid name');
  for (const length of [0, -1, 4_194_305, Number.NaN])
    expect(() => chunkOffered({ ...offer, mac, length })).toThrow('invalid length');
});
