import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyFilter } from './filters.ts';

describe('filters', () => {
  // Made with the hash function that this project had before it used a library. A changed hash would redeploy an instance.
  it.each([
    ['', '$2b$10$EZHWTsF/SKoBRN9GrXqhpOiHj3ySLfIEQeU5WEjrKRRDa1DO/fHnC'],
    ['abc', '$2b$10$EZHWTsF/SKoBRN9GrXqhpOG2ew/pKGzC/GbgIBxtc4nptJF8P9Zzq'],
    ['pässwörd-'.repeat(12), '$2b$10$EZHWTsF/SKoBRN9GrXqhpOeGSuuAggbJ2QGnEnQbbXHwiJdoC.jRG'],
    ['lone \ud800', '$2b$10$EZHWTsF/SKoBRN9GrXqhpOImwj.uKjvtT9q.nnWihDa.DdP3wIID2'],
  ])('hashes %j as earlier releases did', (password, hash) => {
    expect(applyFilter('bcrypt', password, () => 'seed')).toBe(hash);
  });

  it('gives the same hash only for the same salt', () => {
    const hash = (salt: string) => applyFilter('bcrypt', 'secret', () => salt);
    expect(hash('a')).toBe(hash('a'));
    expect(hash('a')).not.toBe(hash('b'));
    expect(hash('a')).toMatch(/^\$2b\$10\$[./A-Za-z0-9]{53}$/);
  });

  it('encodes values so that decoding restores them', () => {
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
