import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bcrypt } from './bcrypt.ts';
import { applyFilter } from './filters.ts';

const RADIX64 = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

function saltOf(hash: string): Uint8Array {
  const bits = [...hash.slice(7, 29)].map((c) => RADIX64.indexOf(c).toString(2).padStart(6, '0')).join('');
  return Uint8Array.from({ length: 16 }, (_, i) => Number.parseInt(bits.slice(i * 8, i * 8 + 8), 2));
}

describe('filters', () => {
  // Made with the crypt(3) of libxcrypt.
  it.each([
    ['', '$2b$06$DCq7YPn5Rq63x1Lad4cll.TV4S6ytwfsfvkgY8jIucDrjc8deX1s.'],
    ['abc', '$2b$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i'],
    ['pässwörd-'.repeat(12), '$2b$05$If6bvum7DFjUnE9p2uDeDuKEnwLsM7mtlU4/kd7Zi2aRNBwqY.6Ge'],
  ])('hashes %j as crypt does', (password, hash) => {
    expect(bcrypt(password, saltOf(hash), Number(hash.slice(4, 6)))).toBe(hash);
  });

  it('gives the same hash for the same salt only', () => {
    const hash = (salt: string) => applyFilter('bcrypt', 'secret', () => salt);
    expect(hash('a')).toBe(hash('a'));
    expect(hash('a')).not.toBe(hash('b'));
    expect(hash('a')).toMatch(/^\$2b\$10\$[./A-Za-z0-9]{53}$/);
  });

  it('encodes so that decoding gives the value back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        const encoded = String(applyFilter('urlencode', value, String));
        expect(encoded).toMatch(/^[A-Za-z0-9._~%-]*$/);
        expect(decodeURIComponent(encoded)).toBe(value);
        expect(Buffer.from(String(applyFilter('base64', value, String)), 'base64').toString()).toBe(value);
        expect(JSON.parse(String(applyFilter('json', value, String)))).toBe(value);
      }),
    );
  });
});
