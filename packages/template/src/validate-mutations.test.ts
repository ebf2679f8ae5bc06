import { Template } from '@hortus/contract/template/schema';
import fc from 'fast-check';
import Compile from 'typebox/compile';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { INKWELL } from './inkwell.fixture.ts';
import { parse } from './parse.ts';
import { checkSchema, type Schema } from './schema-check.ts';
import { validate } from './validate.ts';

const oddValue = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    '${',
    '${vars.dsn',
    '${a.b}',
    'constructor',
    '__proto__',
    0,
    -1,
    1.5,
    true,
    [],
    {},
    [null],
    { a: null },
  ),
  fc.string(),
  fc.jsonValue(),
);

/** A template with some of its nodes replaced, removed or added. */
function mutated(template: unknown, changes: readonly { at: number; value: unknown; how: string }[]): unknown {
  const copy = structuredClone(template);
  for (const { at, value, how } of changes) {
    const holders: [Record<string, unknown>, string][] = [];
    const collect = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      for (const key of Object.keys(node)) {
        holders.push([node as Record<string, unknown>, key]);
        collect((node as Record<string, unknown>)[key]);
      }
    };
    collect(copy);
    const [holder, key] = holders[at % Math.max(holders.length, 1)] ?? [];
    if (holder === undefined || key === undefined) continue;
    if (Array.isArray(holder) && how !== 'replace') holder.splice(Number(key), 1);
    else if (how === 'remove') delete holder[key];
    else if (how === 'rename') {
      Object.defineProperty(holder, String(value), {
        value: holder[key],
        enumerable: true,
        configurable: true,
        writable: true,
      });
      delete holder[key];
    } else holder[key] = structuredClone(value);
  }
  return copy;
}

const changes = fc.array(
  fc.record({ at: fc.nat(), value: oddValue, how: fc.constantFrom('replace', 'remove', 'rename') }),
  { minLength: 1, maxLength: 4 },
);

describe('validate, of any template', () => {
  const inkwell = parse(INKWELL).value;
  const compiled = Compile(Template);

  it('never throws, and always gives a place', () => {
    fc.assert(
      fc.property(changes, (list) => {
        const text = stringify(mutated(inkwell, list));
        const lines = text.split('\n').length;
        for (const { line, column, message } of validate(text).findings) {
          expect(line).toBeGreaterThanOrEqual(1);
          expect(line).toBeLessThanOrEqual(lines);
          expect(column).toBeGreaterThanOrEqual(1);
          expect(message).not.toBe('');
        }
      }),
      { numRuns: 400 },
    );
  });

  it('accepts and refuses what the JSON Schema does', () => {
    fc.assert(
      fc.property(changes, (list) => {
        const value = mutated(inkwell, list);
        expect(checkSchema(Template as unknown as Schema, value).length === 0).toBe(compiled.Check(value));
      }),
      { numRuns: 400 },
    );
  });

  it('survives text that is not even YAML', () => {
    fc.assert(
      fc.property(fc.nat(INKWELL.length), fc.nat(40), fc.string(), (at, length, insert) => {
        validate(INKWELL.slice(0, at) + insert + INKWELL.slice(at + length));
      }),
      { numRuns: 300 },
    );
  });
});
