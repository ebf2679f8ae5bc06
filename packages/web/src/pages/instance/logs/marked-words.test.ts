import { expect, it } from 'vitest';
import { splitAtWords } from './marked-words.ts';

it('finds every searched word in any case, also those with special letters', () => {
  expect(splitAtWords('GET /a.b and get /axb', 'get a.b')).toEqual(['', 'GET', ' /', 'a.b', ' and ', 'get', ' /axb']);
});

it('a text without a search stays whole', () => {
  expect(splitAtWords('<b>x</b>', '  ')).toEqual(['<b>x</b>']);
});
