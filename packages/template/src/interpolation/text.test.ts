import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fill } from './fill.ts';
import { parseText, references } from './text.ts';

const values: Record<string, string | number | boolean> = { A: 'one', EMPTY: '', NO: false, YES: true, N: 5 };
const filled = (text: string, overrides: Record<string, string | number | boolean> = values) =>
  fill(parseText(text), {
    find: ({ names: [name = ''] }) => ({
      value: Object.hasOwn(overrides, name) ? overrides[name] : undefined,
      secret: name === 'SECRET',
    }),
    saltFor: () => 'salt',
  });

describe('interpolation', () => {
  it.each([
    ['${inputs.A}', 'one'],
    ['<${ inputs.A }>', '<one>'],
    ['${inputs.NONE:-two}', 'two'],
    ['${inputs.EMPTY:-two}', 'two'],
    ['${inputs.A:-two}', 'one'],
    ['${inputs.NO:-two}', 'false'],
    ['${inputs.A:+set}', 'set'],
    ['a${inputs.NONE:+set}b', 'ab'],
    ['a${inputs.NO:+set}b', 'ab'],
    ['${inputs.YES:+smtp://${inputs.A}}', 'smtp://one'],
    ['${inputs.NONE:-a|b}', 'a|b'],
    ['${inputs.NONE:-a b | urlencode}', 'a%20b'],
    ['${inputs.A | base64 | urlencode}', 'b25l'],
    ['${inputs.N | json}/${inputs.A | json}/${inputs.NONE | json}', '5/"one"/null'],
    ['$X $$ ${HOME} ${list[@]} ${name%.*} $(ls) $', '$X $$ ${HOME} ${list[@]} ${name%.*} $(ls) $'],
    ['$${inputs.A}', '$one'],
  ])('%s becomes %s', (text, result) => {
    expect(parseText(text).faults).toEqual([]);
    expect(filled(text).text).toBe(result);
  });

  it('distinguishes unset from empty text', () => {
    expect(filled('${inputs.NONE}')).toEqual({ text: undefined, secret: false, omitted: false });
    expect(filled('${inputs.NONE:+x}')).toEqual({ text: undefined, secret: false, omitted: true });
    expect(filled('${inputs.NONE:-}').text).toBe('');
    expect(filled('x${inputs.NONE}').text).toBe('x');
  });

  it('marks exactly the texts that contain a secret', () => {
    expect(filled('${secrets.SECRET}', { SECRET: 's' }).secret).toBe(true);
    expect(filled('${inputs.NONE:-${secrets.SECRET}}', { SECRET: 's' }).secret).toBe(true);
    expect(filled('${secrets.SECRET:+on}', { SECRET: 's' })).toMatchObject({ text: 'on', secret: false });
  });

  it.each([
    ['ab${input.A}', 2, 'known are inputs'],
    ['${inputs.A', 0, 'no matching }'],
    ['${inputs.A:-b', 0, 'no matching }'],
    ['${inputs.A | shout}', 0, 'unknown filter shout'],
  ])('reports an error in %s', (text, offset, message) => {
    expect(parseText(text).faults).toMatchObject([{ offset, message: expect.stringContaining(message) }]);
  });

  it('lists references inside operands', () => {
    const found = references('${inputs.A:-${vars.b:+${secrets.C}}} $D').map(
      ({ namespace, names }) => `${namespace}.${names}`,
    );
    expect(found).toEqual(['inputs.A', 'vars.b', 'secrets.C']);
  });

  it('inserts any value unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (value, around) => {
        const frame = around.replaceAll('${', '');
        expect(filled(`${frame}\n\${inputs.V}\n${frame}`, { V: value }).text).toBe(`${frame}\n${value}\n${frame}`);
      }),
    );
  });

  it('does not interpolate inserted values', () => {
    for (const value of ['${inputs.A}', '$', '}', '#\'"\\\n$${secrets.X}']) {
      expect(filled('${inputs.V}|${inputs.V}', { V: value, A: 'no' }).text).toBe(`${value}|${value}`);
    }
  });

  it('leaves text without references unchanged', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('$', '{', '}', ':', '-', '|', '.', ' ', 'A', '\\', '"') }),
        (text) => {
          fc.pre(!/\$\{\s*[A-Za-z_]+\./.test(text));
          expect(filled(text).text ?? '').toBe(text);
        },
      ),
    );
  });

  it('handles hostile text without an exception and in linear time', () => {
    const piece = fc.constantFrom('${', 'inputs.A', ':-', ':+', '}', ' | ', 'json', ' ', 'x', '$', '.');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => void filled(pieces.join(''))),
      { numRuns: 500 },
    );
    // Of its own, whatever else the machine has to do.
    const before = process.cpuUsage();
    parseText('${inputs.a:-'.repeat(5000));
    parseText('${inputs.a:-x |'.repeat(4000));
    expect(process.cpuUsage(before).user).toBeLessThan(2_000_000);
  });
});
