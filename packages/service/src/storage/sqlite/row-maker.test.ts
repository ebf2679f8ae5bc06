import { expect, it } from 'vitest';
import { rowMaker } from './row-maker.ts';

it('a row has its columns by name', () => {
  expect(rowMaker([{ name: 'id' }, { name: 'total' }])(['a', 2])).toEqual({ id: 'a', total: 2 });
});

it('the last of two columns with one name counts', () => {
  expect(rowMaker([{ name: 'output' }, { name: 'output' }])(['long', null])).toEqual({ output: null });
});

it('a column name is never code', () => {
  const name = '"]: process.exit(), ["\n`${1}`';
  expect(rowMaker([{ name }])([1])).toEqual({ [name]: 1 });
});
