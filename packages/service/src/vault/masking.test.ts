import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { maskOf } from './masking.ts';

it('hides values wherever they stand, the longer one first', () => {
  const mask = maskOf(['hunter2', 'hunter2hunter2']);
  expect(mask('a hunter2hunter2 b hunter2 c hunter')).toBe('a *** b *** c hunter');
});

it('leaves short values and everything else alone', () => {
  const mask = maskOf(['short', '', 'longenough']);
  expect(mask('short and longenoug')).toBe('short and longenoug');
  expect(maskOf([])('nothing')).toBe('nothing');
});

it('takes signs of patterns as they are', () => {
  expect(maskOf(['a.c(d)[e]*'])('abc(d)[e]* a.c(d)[e]*')).toBe('abc(d)[e]* ***');
  expect(maskOf(['secret-$&-value'])('x secret-$&-value')).toBe('x ***');
});

it('hides what is written percent-encoded, in base64 or in JSON', () => {
  const secret = 'p@ss "word"\\1';
  const mask = maskOf([secret]);
  const forms = [encodeURIComponent(secret), Buffer.from(secret).toString('base64'), JSON.stringify(secret)];
  for (const form of forms) expect(mask(`<${form}>`)).toMatch(/^<"?\*\*\*=*"?>$/);
});

it('hides the lines of a key one by one, and not the frame that all keys share', () => {
  const key = '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQEF\n-----END PRIVATE KEY-----\n';
  const mask = maskOf([key]);
  expect(mask('MIIEvQIBADANBg')).toBe('***');
  expect(mask('key: kqhkiG9w0BAQEF')).toBe('key: ***');
  expect(mask('-----BEGIN PRIVATE KEY-----')).toBe('-----BEGIN PRIVATE KEY-----');
});

it('hides secrets that overlap, and one that is a part of another', () => {
  expect(maskOf(['abcdefgh', 'efghijkl'])('<abcdefghijkl>')).toBe('<***>');
  expect(maskOf(['password', 'the-password-of-all'])('x the-password-of-all y password z')).toBe('x *** y *** z');
  expect(maskOf(['x'])('x marks the spot')).toBe('x marks the spot');
});

it('hides a secret of a megabyte, and any longer part of it, without an error that would quote it', () => {
  const long = randomBytes(750_000).toString('base64');
  const mask = maskOf([long, 'hunter2hunter2']);
  expect(mask(`a ${long} b hunter2hunter2 c`)).toBe('a *** b *** c');
  const part = mask(`cut: ${long.slice(0, 5_000)}`);
  expect(part.length).toBeLessThan(80);
});

it('takes time by the length of the text, whatever the number and the form of the secrets', () => {
  // Each begins like the text and none is in it.
  const alike = Array.from({ length: 2_000 }, (_, i) => `${'a'.repeat(6 + (i % 57))}-${i}`);
  const many = Array.from({ length: 2_000 }, (_, i) => `secret-number-${i}`);
  const text = 'a'.repeat(50_000);
  const mask = maskOf([...alike, ...many]);
  const startedAt = process.cpuUsage().user;
  expect(mask(text)).toBe(text);
  expect((process.cpuUsage().user - startedAt) / 1_000).toBeLessThan(2_000);
});

it('agrees with looking for every secret at every place', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '💧'), minLength: 6, maxLength: 150 });
  fc.assert(
    fc.property(fc.array(letters, { maxLength: 5 }), fc.array(letters, { maxLength: 4 }), (secrets, around) => {
      const text = [...around, ...secrets, ...around].join('|');
      const masked = maskOf(secrets)(text);
      for (const secret of secrets) expect(masked).not.toContain(secret);
      if (!secrets.some((secret) => text.includes(secret))) expect(masked).toBe(text);
    }),
  );
});
