import { expect, it } from 'vitest';
import { defaultsOf, type Param, valuesOf } from './params.ts';

const params: Param[] = [
  { name: 'line', type: 'text', required: true, default: null },
  { name: 'level', type: 'integer', required: false, default: 3 },
  { name: 'all', type: 'boolean', required: false, default: false },
];

it('a form begins with the declared defaults', () => {
  expect(defaultsOf(params)).toEqual({ line: '', level: '3', all: 'false' });
});

it('values are sent in their types, and nothing for a field that was left empty', () => {
  expect(valuesOf(params, { line: 'x', level: '7', all: 'true' })).toEqual({ line: 'x', level: 7, all: true });
  expect(valuesOf(params, { line: '', level: '', all: 'false' })).toEqual({ all: false });
});
