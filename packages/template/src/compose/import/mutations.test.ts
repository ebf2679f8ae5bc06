import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { SHOP } from '../shop.fixture.ts';
import { importCompose } from './import-compose.ts';

const runs = process.env.HORTUS_TEST_LONG ? 1000 : 150;
const timeout = 300_000;

const oddValue = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    '$',
    '${',
    '${A',
    '${A:-${B',
    '$$',
    '${A:?}',
    ':',
    '::',
    'a:b:c:d',
    '/',
    '-1',
    'host',
    '__proto__',
    'constructor',
    0,
    -1,
    1e99,
    true,
    [],
    {},
    [null],
    [[]],
    { a: null },
    ['a=b=c', '='],
  ),
  fc.string(),
  fc.jsonValue(),
);

/** A file with some of its values replaced, removed or moved under another key. */
function mutated(file: unknown, changes: readonly { at: number; value: unknown; how: string }[]): unknown {
  const copy = structuredClone(file);
  for (const { at, value, how } of changes) {
    const places: [Record<string, unknown>, string][] = [];
    const collect = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      for (const key of Object.keys(node)) {
        places.push([node as Record<string, unknown>, key]);
        collect((node as Record<string, unknown>)[key]);
      }
    };
    collect(copy);
    const [holder, key] = places[at % Math.max(places.length, 1)] ?? [];
    if (holder === undefined || key === undefined) continue;
    if (how === 'replace') holder[key] = structuredClone(value);
    else if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else {
      if (how === 'rename') holder[KEYS[at % KEYS.length] as string] = holder[key];
      delete holder[key];
    }
  }
  return copy;
}

const KEYS = [
  'ports',
  'volumes',
  'environment',
  'depends_on',
  'deploy',
  'devices',
  'networks',
  'extends',
  'configs',
  'x',
];

const changes = fc.array(
  fc.record({ at: fc.nat(), value: oddValue, how: fc.constantFrom('replace', 'remove', 'rename') }),
  { minLength: 1, maxLength: 6 },
);

/** Every place that is named is one of the text it counts. */
function expectPlaces(text: string): void {
  const { findings, inferred, dropped, text: template = '' } = importCompose(text);
  const lines = text.split('\n').length;
  for (const { line, column, message, file } of [...findings, ...inferred, ...dropped] as typeof findings) {
    expect(line).toBeGreaterThanOrEqual(1);
    expect(line).toBeLessThanOrEqual(file === undefined ? lines : template.split('\n').length);
    expect(column).toBeGreaterThanOrEqual(1);
    expect(message).not.toBe('');
  }
}

describe('any Compose file', () => {
  const shop: unknown = parse(SHOP, { merge: true });

  it('is imported or refused with a position, and never crashes the importer', { timeout }, () => {
    fc.assert(
      fc.property(changes, (list) => expectPlaces(stringify(mutated(shop, list)))),
      { numRuns: runs },
    );
  });

  it('that is not YAML is refused with findings', { timeout }, () => {
    fc.assert(
      fc.property(fc.nat(SHOP.length), fc.nat(40), fc.string(), (at, length, insert) => {
        expectPlaces(SHOP.slice(0, at) + insert + SHOP.slice(at + length));
      }),
      { numRuns: runs },
    );
  });

  it.each([
    ['', 'no text'],
    ['a', 'a word'],
    ['services: []', 'a list of services'],
    ['services: {}', 'no service'],
    ['services: {a: 1}', 'a service that is a number'],
    ['services: &a\n  b: *a', 'an anchor that contains itself'],
    ['a: *nowhere\nservices: {x: {image: y}}', 'an alias without an anchor'],
    ['{services: {a: {image: x}}}\n---\nb: 1', 'two documents'],
    ['services: {a: {<<: [1], image: x}}', 'a merge of a number'],
    ['services:\n\ta: 1', 'a tab'],
  ])('%j (%s) is refused with a position', (text) => {
    const { findings } = importCompose(text);
    expect(findings.some(({ severity, line }) => severity === 'error' && line >= 1)).toBe(true);
  });

  it('cannot expand without limit', () => {
    // Each level is eight times the one before: an importer that expands the 60 of them never gets to its findings.
    const bomb = Array.from({ length: 60 }, (_, level) =>
      level === 0 ? 'x-0: &l0 [a, a, a, a, a, a, a, a]' : `x-${level}: &l${level} [${`*l${level - 1}, `.repeat(8)}]`,
    ).join('\n');
    const { findings, template } = importCompose(`${bomb}\nservices: {a: {image: x, labels: *l59}}\n`);
    expect(template).toBeUndefined();
    expect(findings[0]?.message).toContain('more than');
    expect(importCompose('['.repeat(100_000)).findings[0]?.severity).toBe('error');
    expect(importCompose(`a: ${'x'.repeat(1_100_000)}`).findings[0]?.message).toContain('longer than');
  });
});
