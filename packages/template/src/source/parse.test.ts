import { describe, expect, it } from 'vitest';
import { parse } from './parse.ts';

describe('parse', () => {
  it('knows the position of every value and key', () => {
    const parsed = parse('a: 1\nlist:\n  - x\n  - {key: value}\n');
    expect(parsed.value).toEqual({ a: 1, list: ['x', { key: 'value' }] });
    expect(parsed.positionOf(['a'])).toEqual({ line: 1, column: 4 });
    expect(parsed.positionOf(['a'], true)).toEqual({ line: 1, column: 1 });
    expect(parsed.positionOf(['list', 1, 'key'])).toEqual({ line: 4, column: 11 });
  });

  it('returns the position of the nearest parent for missing values', () => {
    expect(parse('a:\n  b: 1\n').positionOf(['a', 'missing', 'deeper'])).toEqual({ line: 1, column: 1 });
    expect(parse('').positionOf(['a'])).toEqual({ line: 1, column: 1 });
  });

  it.each([
    ['a: [1, 2', 'yaml'],
    ['a: 1\na: 2\n', 'yaml'],
    ['a: *nowhere\n', 'yaml'],
    ['--- a\n--- b\n', 'yaml'],
    ['mode: 0755\n', 'ambiguous-scalar'],
    ['on: True\n', 'ambiguous-scalar'],
    ['__proto__: {x: 1}\n', 'reserved-key'],
    ['a: &k __proto__\n*k : {x: 1}\n', 'yaml'],
    ['a: &k name\n*k : x\nname: y\n', 'yaml'],
    ['"1": a\n1: b\n', 'yaml'],
    ['? {a: 1}\n: b\n', 'yaml'],
  ])('reports %j', (text, code) => {
    const { findings } = parse(text, 'template.yaml');
    expect(findings[0]).toMatchObject({ severity: 'error', code, file: 'template.yaml' });
    expect(findings[0]?.line).toBeGreaterThan(0);
  });

  it('follows YAML 1.2: yes and no are strings', () => {
    expect(parse('a: yes\nb: no\nc: 1.5\n').value).toEqual({ a: 'yes', b: 'no', c: 1.5 });
  });

  it('refuses exponential alias expansion', () => {
    const bomb = [
      'a: &a [x, x]',
      'b: &b [*a, *a]',
      ...'cdefghijk'
        .split('')
        .map((c) => `${c}: &${c} [${Array(9).fill(`*${String.fromCharCode(c.charCodeAt(0) - 1)}`)}]`),
    ];
    expect(parse(bomb.join('\n')).findings[0]?.code).toBe('yaml');
  });
});
