import { growth } from '@hortus/testkit/growth';
import { expect, test } from 'vitest';
import { presentValues } from './present-values.ts';

const long = (character: string) => Array.from({ length: 200 }, (_, i) => `${character}${i * 7919}`).join('-');

test('a value is present as it is, percent-encoded, in base64, in JSON, and by a line of it', () => {
  const value = 'a "quoted" pass/word';
  const others = [encodeURIComponent(value), Buffer.from(value).toString('base64'), JSON.stringify(value)];
  for (const text of [`x${value}y`, ...others])
    expect(presentValues([value, 'hunter2-hunter2'], [text])).toEqual([value]);
  expect(presentValues([`first line\nsecond line`], ['a second line here'])).toHaveLength(1);
});

test('only values of which every part is there are present', () => {
  const values = [long('a'), long('b'), 'secret', 'hunter2hunter2', 'short'];
  const texts = [long('b'), 'my secret', `${long('a').slice(0, -1)}!`, 'hunter2hunter', 'short'];
  expect(presentValues(values, texts)).toEqual([long('b'), 'secret']);
  expect(presentValues(values, [])).toEqual([]);
});

test('four times as many values in four times as much text take less than eight times as long', () => {
  const search = (n: number) => {
    const values = Array.from({ length: n }, (_, i) => `${'a'.repeat(300)}${i}`);
    return presentValues(values, [`${'a'.repeat(10_000 * n)}b`]);
  };
  expect(growth(search, 50)).toBeLessThan(8);
});
