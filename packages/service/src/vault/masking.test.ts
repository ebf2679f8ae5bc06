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
