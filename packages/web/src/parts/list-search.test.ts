import { expect, it } from 'vitest';
import { listSearch } from './list-search.ts';
import { parseSearch, stringifySearch } from './search-params.ts';

const validate = listSearch('status');

it('a list keeps its own search params and drops all others of a hand-made URL', () => {
  const url = '?page=3&sort=-name&q=orders&status=failed&other=1';
  expect(validate(parseSearch(url))).toEqual({ page: 3, sort: '-name', q: 'orders', status: 'failed' });
});

it('a page that is no whole number above one is the first page', () => {
  for (const page of ['1', '0', '-2', '1.5', 'two', '']) expect(validate(parseSearch(`?page=${page}`))).toEqual({});
});

it('a text that is empty or too long filters nothing', () => {
  expect(validate(parseSearch(`?status=&q=${'a'.repeat(201)}`))).toEqual({});
});

it('a search for a number or for "true" stays a text after a reload', () => {
  for (const q of ['123', 'true', 'null', '"quoted"', 'a b+c&d=e', '007'])
    expect(validate(parseSearch(stringifySearch({ q })))).toEqual({ q });
});

it('absent and empty search params leave no trace in the URL', () => {
  expect(stringifySearch({ q: '', status: undefined, page: undefined })).toBe('');
  expect(stringifySearch({ q: '', status: 'failed', page: 2 })).toBe('?status=failed&page=2');
});
