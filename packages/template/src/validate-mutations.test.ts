import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Template } from '@hortus/contract/template/schema';
import fc from 'fast-check';
import Compile from 'typebox/compile';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { checkSchema } from './schema/schema-check.ts';
import { formatFinding } from './source/finding.ts';
import { parse } from './source/parse.ts';
import { INKWELL } from './testing/inkwell.ts';
import { validate } from './validate.ts';

const CATALOG = fileURLToPath(new URL('../../../catalog', import.meta.url));

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
      // An object can have a `toString` that is no function.
      const name = typeof value === 'object' ? JSON.stringify(value) : String(value);
      Object.defineProperty(holder, name, {
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

/** Templates as people write them: our fixture, and what the catalog holds. */
const TEMPLATES: readonly [string, ...string[]] = [
  INKWELL,
  ...globSync('*/*/template.yaml', { cwd: CATALOG })
    .sort()
    .map((file) => readFileSync(`${CATALOG}/${file}`, 'utf8')),
];
const template = fc.nat().map((at) => TEMPLATES[at % TEMPLATES.length] ?? INKWELL);
/** The same every time in the short run; the long one goes where none has been. */
const runs = process.env.HORTUS_TEST_LONG ? { numRuns: 1000 } : { numRuns: 100, seed: 1 };

/** Whatever a text holds, what is said of it has a place in it, and can be shown. */
function expectPlaces(text: string): void {
  const lines = text.split(/\r?\n/);
  for (const finding of validate(text, 'template.yaml').findings) {
    const { line, column, message } = finding;
    expect(lines[line - 1], formatFinding(finding)).toBeDefined();
    expect(column, formatFinding(finding)).toBeGreaterThanOrEqual(1);
    expect(column, formatFinding(finding)).toBeLessThanOrEqual((lines[line - 1] ?? '').length + 1);
    expect(message).not.toBe('');
    expect(formatFinding(finding, text)).toContain(`template.yaml:${line}:${column}: `);
  }
}

describe('validate, of any template', { timeout: 300_000 }, () => {
  const compiled = Compile(Template);

  it('never throws, and reports a position for every finding', () => {
    fc.assert(
      fc.property(template, changes, (source, list) => {
        expectPlaces(stringify(mutated(parse(source).value, list)));
      }),
      runs,
    );
  });

  it('accepts and refuses the same templates as the JSON Schema', () => {
    fc.assert(
      fc.property(template, changes, (source, list) => {
        const value = mutated(parse(source).value, list);
        expect(checkSchema(Template, value).length === 0).toBe(compiled.Check(value));
      }),
      runs,
    );
  });

  it('reports a position in text that is not YAML', () => {
    fc.assert(
      fc.property(template, fc.nat(), fc.nat(40), fc.string(), (source, at, length, insert) => {
        const from = at % source.length;
        expectPlaces(source.slice(0, from) + insert + source.slice(from + length));
      }),
      runs,
    );
  });

  it('reports a position if lines are lost, duplicated or moved', () => {
    const edit = fc.record({ at: fc.nat(), to: fc.nat(), how: fc.constantFrom('lose', 'double', 'move', 'indent') });
    fc.assert(
      fc.property(template, fc.array(edit, { minLength: 1, maxLength: 5 }), (source, edits) => {
        const lines = source.split('\n');
        for (const { at, to, how } of edits) {
          const from = at % lines.length;
          const [line = ''] = lines.splice(from, how === 'double' ? 0 : 1);
          if (how === 'double') lines.splice(from, 0, lines[from] ?? '');
          if (how === 'move') lines.splice(to % (lines.length + 1), 0, line);
          if (how === 'indent') lines.splice(from, 0, `${' '.repeat(to % 5)}${line}`);
        }
        expectPlaces(lines.join('\n'));
      }),
      runs,
    );
  });
});
