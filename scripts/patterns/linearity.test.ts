import { expect, test } from 'vitest';
import { slownessOf } from './linearity.ts';
import { patternsIn } from './sources.ts';

test.each([
  ['/+$', ''],
  ['\\r+$', ''],
  ['^\\s*\\w*\\s*$|\\s+x', ''],
  ['(?<!a)b+c', ''],
  ['x{0,99}y', ''],
  ['(a?){30}b', ''],
  ['a*A*$', 'i'],
])('/%s/%s is not linear', async (source, flags) => {
  expect(await slownessOf(source, flags)).toBeDefined();
});

test.each([
  ['^/+', ''],
  ['^[a-z]{1,63}(?<!-)$', ''],
  ['^(?:a|b)+$', ''],
  ['(?<!\\d)\\d{1,4}x', ''],
  ['\\p{L}+', 'u'],
])('/%s/%s is linear', async (source, flags) => {
  expect(await slownessOf(source, flags)).toBeUndefined();
});

test('literals, expressions of constants and patterns of schemas are found, others are listed', () => {
  const text = `
    const WORD = '[a-z]';
    const a = /x+$/i;
    const b = new RegExp(\`^\${WORD}+$\`, 'u');
    const c = RegExp(String.raw\`\\d\` + WORD);
    const d = { pattern: '^y$' };
    export const e = (name: string) => new RegExp(name);
  `;
  const { known, built } = patternsIn('a.ts', text);
  expect(known.map(({ source, flags, line }) => [source, flags, line])).toEqual([
    ['x+$', 'i', 3],
    ['^[a-z]+$', 'u', 4],
    ['\\d[a-z]', '', 5],
    ['^y$', 'u', 6],
  ]);
  expect(built).toEqual([{ text: 'new RegExp(name)', line: 7 }]);
});
