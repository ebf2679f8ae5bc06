import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkParams, fillArguments, fillParams } from './action-params.ts';

const params = [
  { name: 'table', type: 'string', required: true, pattern: '[a-z]+' },
  { name: 'rows', type: 'integer', required: false, default: 10, max: 100 },
] as const;

describe('params of an action', () => {
  it('are validated like inputs, with defaults', () => {
    expect(checkParams([...params], { table: 'users' })).toEqual({ ok: true, values: { table: 'users', rows: 10 } });
    expect(checkParams([...params], { table: 'users', rows: '5' })).toEqual({
      ok: true,
      values: { table: 'users', rows: 5 },
    });
    expect(checkParams([...params], { rows: 101, x: 1 })).toEqual({
      ok: false,
      problems: [
        { field: 'params.x', message: 'is not a param of this action' },
        { field: 'params.table', message: 'is required' },
        { field: 'params.rows', message: 'must be at most 100' },
      ],
    });
    expect(checkParams([...params], 'x').ok).toBe(false);
  });

  it('are limited together: the first beyond the limit is named', () => {
    const texts = ['a', 'b', 'c'].map((name) => ({ name, type: 'text' as const, required: false }));
    const value = 'x'.repeat(65_000);
    expect(checkParams(texts, { a: value, b: value }).ok).toBe(true);
    expect(checkParams(texts, { a: value, b: value, c: value })).toEqual({
      ok: false,
      problems: [{ field: 'params.c', message: expect.stringContaining('at most 131072 characters') }],
    });
  });

  it('that a text uses thousands of times do not fill the memory: the text stops growing', () => {
    const text = '${params.x}-'.repeat(5_000);
    expect(fillParams(text, { x: 'x'.repeat(131_000) }).length).toBeLessThan(4_500_000);
  });

  it('fill exactly one argument, whatever they contain', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (x) => {
        expect(fillArguments(['a', '${params.x}', '--y=${params.x}', 'z'], { x })).toEqual(['a', x, `--y=${x}`, 'z']);
      }),
    );
    expect(fillArguments(['${params.none}', 'z'], {})).toEqual(['', 'z']);
  });

  it('can include or omit an argument', () => {
    const argv = ['dump', '${params.only:+--schema-only}', 'db'];
    expect(fillArguments(argv, { only: true })).toEqual(['dump', '--schema-only', 'db']);
    expect(fillArguments(argv, { only: false })).toEqual(['dump', 'db']);
  });

  it('change nothing else in the resolved command', () => {
    expect(fillParams('${inputs.A} ${secrets.B:-x} $C ${params.p | urlencode}', { p: 'a b' })).toBe(
      '${inputs.A} ${secrets.B:-x} $C a%20b',
    );
  });
});
