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
