import { isIP } from 'node:net';
import type { Input } from '@hortus/contract/template/inputs';
import { describe, expect, it } from 'vitest';
import { canonical } from '../canonical/canonical.ts';
import { checkInputs, effectiveInputs, type InputMode, splitSecretInputs } from './inputs.ts';
import { matcherOf, unsafePattern } from './pattern.ts';

const specWith = (required: Input[], optional: Input[] = []) =>
  canonical({
    slug: 's',
    name: 'S',
    version: '1.0.0',
    archetype: 'worker',
    taxonomy: { kingdom: 'data', family: 'test' },
    image: { repository: 'a', tag: '1' },
    inputs: { required, optional },
    secrets: { TOKEN: { external: true }, OTHER: { generate: 'hex' } },
  });
const check = (input: Input, value: unknown, mode: InputMode = { mode: 'create' }) =>
  checkInputs(specWith([], [input]), { A: value, TOKEN: 't' }, mode);

describe('the inputs of a definition together', () => {
  const texts = Array.from({ length: 4 }, (_, i): Input => ({ name: `A${i}`, type: 'text' }));
  const spec = canonical({
    slug: 's',
    name: 'S',
    version: '1.0.0',
    archetype: 'worker',
    taxonomy: { kingdom: 'data', family: 'test' },
    image: { repository: 'a', tag: '1' },
    inputs: {
      optional: [...texts, ...Array.from({ length: 300 }, (_, i): Input => ({ name: `P${i}`, type: 'password' }))],
    },
  });
  const long = 'x'.repeat(65_000);
  const refused = (name: string) => ({
    ok: false,
    problems: [{ field: `inputs.${name}`, message: expect.stringContaining('at most 131072 characters') }],
  });

  it('are limited: the first beyond the limit is named', () => {
    expect(checkInputs(spec, { A0: long, A1: long }, { mode: 'create' }).ok).toBe(true);
    expect(checkInputs(spec, { A0: long, A1: long, A2: long }, { mode: 'create' })).toEqual(refused('A2'));
  });

  it('are limited over several changes, with the secrets in the vault', () => {
    const previous = { A0: long, A1: long };
    expect(checkInputs(spec, { A2: long }, { mode: 'merge', previous })).toEqual(refused('A2'));
    expect(checkInputs(spec, { A2: long }, { mode: 'partial', previous })).toEqual(refused('A2'));
    expect(checkInputs(spec, { A2: long, A0: null }, { mode: 'merge', previous }).ok).toBe(true);
    const held = Array.from({ length: 256 }, (_, i) => `P${i}`);
    expect(checkInputs(spec, { A2: 'x' }, { mode: 'merge', previous: {}, held })).toEqual(refused('A2'));
  });

  it('that were longer before this limit can be shortened one by one', () => {
    const previous = { A0: long, A1: long, A2: long, A3: long };
    expect(checkInputs(spec, { A0: 'x' }, { mode: 'merge', previous }).ok).toBe(true);
    expect(checkInputs(spec, { A0: `${long}x` }, { mode: 'merge', previous })).toEqual(refused('A0'));
  });
});

describe('checkInputs', () => {
  it('recognises the IP addresses that Node recognises, also in a browser', () => {
    const texts = ['1.2.3.4', '0.0.0.0', '01.2.3.4', '256.1.1.1', '1.2.3', '1.2.3.4.', '1.2.3.4.5', '1.1.1.1:80', ''];
    const longer = ['::', '::1', '1::2::3', '12345::', '[::1]', '::1/64', '::ffff:1.2.3.4', '::ffff:1.2.3', 'a:b'];
    for (const text of [...texts, ...longer, 'fe80::1%eth0', 'fe80::1%', 'fe80::1%a%b'])
      expect(check({ name: 'A', type: 'ip' }, text).ok, text).toBe(isIP(text) !== 0);
  });

  it.each<[Omit<Input, 'name'>, unknown, unknown]>([
    [{ type: 'string' }, 'a $ # \' " \\', 'a $ # \' " \\'],
    [{ type: 'text' }, 'a\nb', 'a\nb'],
    [{ type: 'integer' }, '42', 42],
    [{ type: 'integer' }, -3, -3],
    [{ type: 'number' }, '1.5e3', 1500],
    [{ type: 'boolean' }, 'false', false],
    [{ type: 'boolean' }, true, true],
    [{ type: 'port' }, '8080', 8080],
    [{ type: 'domain' }, 'WWW.Example.org', 'www.example.org'],
    [{ type: 'domain' }, 'localhost', 'localhost'],
    [{ type: 'email' }, 'a@b.example', 'a@b.example'],
    [{ type: 'url' }, 'redis://h:1/0', 'redis://h:1/0'],
    [{ type: 'ip' }, '::1', '::1'],
    [{ type: 'path' }, '/srv/a', '/srv/a'],
    [{ type: 'timezone' }, 'Europe/Berlin', 'Europe/Berlin'],
    [{ type: 'enum', options: [{ value: 'x' }] }, 'x', 'x'],
    [{ type: 'string', pattern: '[a-z]+' }, 'abc', 'abc'],
    [{ type: 'string', max: 2 }, '😀😀', '😀😀'],
  ])('accepts %j %j', (input, value, kept) => {
    expect(check({ name: 'A', ...input }, value)).toEqual({ ok: true, values: { A: kept, TOKEN: 't' }, removed: [] });
  });

  it.each<[Omit<Input, 'name'>, unknown, string]>([
    [{ type: 'string' }, 5, 'must be a string'],
    [{ type: 'string' }, 'a\nb', 'must be a single line'],
    [{ type: 'text' }, 'a\0b', 'must not contain a NUL character'],
    [{ type: 'string', min: 3 }, 'ab', 'must have at least 3 characters'],
    [{ type: 'string', pattern: '[a-z]+' }, 'abC', 'must match [a-z]+'],
    [{ type: 'integer' }, 1.5, 'must be a whole number'],
    [{ type: 'integer' }, '1 2', 'must be a whole number'],
    [{ type: 'integer' }, '', 'must be a whole number'],
    [{ type: 'number' }, 'NaN', 'must be a number'],
    [{ type: 'number', max: 3 }, 4, 'must be at most 3'],
    [{ type: 'boolean' }, 'yes', 'must be true or false'],
    [{ type: 'boolean' }, 'constructor', 'must be true or false'],
    [{ type: 'port' }, 0, 'must be a port from 1 to 65535'],
    [{ type: 'domain' }, 'a..b', 'must be a host name'],
    [{ type: 'domain' }, 'https://a', 'must be a host name'],
    [{ type: 'email' }, 'no-address', 'must be an e-mail address'],
    [{ type: 'url' }, 'example.org', 'must be an address such as https://example.org'],
    [{ type: 'ip' }, '1.2.3', 'must be an IPv4 or IPv6 address'],
    [{ type: 'path' }, '/a/../b', 'must be an absolute path without ..'],
    [{ type: 'timezone' }, 'Mars/Base', 'must be a time zone such as Europe/Berlin'],
    [{ type: 'enum', options: [{ value: 'x' }, { value: 'y' }] }, 'z', 'must be one of x, y'],
    [{ type: 'string' }, { a: 1 }, 'must be a string'],
  ])('refuses %j %j', (input, value, message) => {
    expect(check({ name: 'A', ...input }, value)).toEqual({ ok: false, problems: [{ field: 'inputs.A', message }] });
  });

  it('reports all missing and unknown inputs at once', () => {
    const spec = specWith([{ name: 'A', type: 'string' }]);
    const overrides = JSON.parse('{"B": 1, "__proto__": 2, "constructor": 3}');
    expect(checkInputs(spec, overrides, { mode: 'create' })).toEqual({
      ok: false,
      problems: [
        { field: 'inputs.B', message: 'is not an input of this template' },
        { field: 'inputs.__proto__', message: 'is not an input of this template' },
        { field: 'inputs.constructor', message: 'is not an input of this template' },
        { field: 'inputs.A', message: 'is required' },
        { field: 'inputs.TOKEN', message: 'is required' },
      ],
    });
    expect(checkInputs(spec, [], { mode: 'create' })).toMatchObject({ ok: false, problems: [{ field: 'inputs' }] });
  });

  it('omits defaults from the stored values and includes them in the effective ones', () => {
    const spec = specWith([], [{ name: 'A', type: 'integer', default: 3 }]);
    expect(checkInputs(spec, { TOKEN: 't' }, { mode: 'create' })).toMatchObject({ values: { TOKEN: 't' } });
    expect(effectiveInputs(spec, {}).get('A')).toBe(3);
  });

  it('requires an input only while its condition holds', () => {
    const spec = specWith(
      [{ name: 'HOST', type: 'string', when: { MAIL: ['smtp', 'relay'] } }],
      [
        {
          name: 'MAIL',
          type: 'enum',
          default: 'off',
          options: [{ value: 'off' }, { value: 'smtp' }, { value: 'relay' }],
        },
      ],
    );
    expect(checkInputs(spec, { TOKEN: 't' }, { mode: 'create' }).ok).toBe(true);
    expect(checkInputs(spec, { TOKEN: 't', MAIL: 'smtp' }, { mode: 'create' })).toMatchObject({
      problems: [{ field: 'inputs.HOST' }],
    });
    expect(effectiveInputs(spec, { HOST: 'h' }).has('HOST')).toBe(false);
    expect(effectiveInputs(spec, { HOST: 'h', MAIL: 'relay' }).get('HOST')).toBe('h');
  });

  it('merges: null removes, omitted values stay, stored passwords count as set', () => {
    const spec = specWith(
      [],
      [
        { name: 'A', type: 'string' },
        { name: 'B', type: 'string' },
      ],
    );
    const mode = { mode: 'merge', previous: { A: '1', B: '2' }, held: ['TOKEN'] } as const;
    expect(checkInputs(spec, { A: null, B: '3' }, mode)).toEqual({ ok: true, values: { B: '3' }, removed: ['A'] });
    expect(checkInputs(spec, { TOKEN: null }, mode)).toMatchObject({
      problems: [{ field: 'inputs.TOKEN', message: 'is required' }],
    });
  });

  it('refuses to change immutable inputs', () => {
    const spec = specWith([], [{ name: 'A', type: 'string', default: 'x', immutable: true }]);
    const merge = (previous: Record<string, string>, A: unknown) =>
      checkInputs(spec, { A }, { mode: 'merge', previous, held: ['TOKEN'] }).ok;
    expect(merge({ A: 'y' }, 'z')).toBe(false);
    expect(merge({ A: 'y' }, null)).toBe(false);
    expect(merge({ A: 'y' }, 'y')).toBe(true);
    expect(merge({}, 'z')).toBe(false);
    expect(merge({}, 'x')).toBe(true);
  });

  it('accepts a partial set: nothing is required or immutable, and inputs that no longer exist can be removed', () => {
    const spec = specWith([{ name: 'A', type: 'string' }], [{ name: 'B', type: 'integer', immutable: true }]);
    const keep = (overrides: object, previous = {}, held: string[] = []) =>
      checkInputs(spec, overrides, { mode: 'partial', previous, held });
    expect(keep({})).toEqual({ ok: true, values: {}, removed: [] });
    expect(keep({ B: 2 }, { B: 1 })).toEqual({ ok: true, values: { B: 2 }, removed: [] });
    expect(keep({ B: null, TOKEN: null }, { B: 1 }, ['TOKEN'])).toEqual({
      ok: true,
      values: {},
      removed: ['B', 'TOKEN'],
    });
    expect(keep({ OLD: null }, { OLD: 'x', A: 'a' })).toEqual({ ok: true, values: { A: 'a' }, removed: ['OLD'] });
    for (const wrong of [{ OLD: null }, { OLD: 'x' }, { B: 'many' }]) expect(keep(wrong).ok).toBe(false);
  });

  it('separates secrets from other inputs', () => {
    const spec = specWith(
      [],
      [
        { name: 'P', type: 'password' },
        { name: 'A', type: 'integer' },
      ],
    );
    expect(splitSecretInputs(spec, { P: 'p', A: 1, TOKEN: 't' })).toEqual({
      plain: { A: 1 },
      secret: { P: 'p', TOKEN: 't' },
    });
  });
});

describe('unsafePattern', () => {
  it.each([
    '[a-z]+',
    '[a-z][a-z0-9_]{0,62}',
    '\\d+\\.\\d+\\.\\d+',
    '(kb|mb)',
    '(-[a-z]+)?x',
    '\\p{L}+',
    '[(+*]+',
    'a\\(b+',
    // Costly for an engine that goes back and tries again; RE2 does not.
    '(a+)+',
    '((a|b))*',
    '(a|a)*',
    '.*.*.*.*.*',
    '(x{1,9}){1,9}',
    '(?<n>a)',
    '\\u0041\\p{Script=Greek}',
  ])('accepts %s', (pattern) => {
    expect(unsafePattern(pattern)).toBeUndefined();
  });
  it.each(['(?=a)b', '(?<!a)b', '(a)\\1', '[', 'a{300}', '(a{100}){100}', '(a?){250}(b?){250}a{250}'])(
    'refuses %s',
    (pattern) => {
      expect(unsafePattern(pattern)).toBeDefined();
    },
  );
  it.each([
    ['a*a*a*a*b', 'a'.repeat(256)],
    [`${'a?'.repeat(60)}${'a'.repeat(60)}b`, 'a'.repeat(60)],
  ])('the pattern %s, prone to catastrophic backtracking, is matched in linear time', (pattern, value) => {
    expect(unsafePattern(pattern)).toBeUndefined();
    expect(matcherOf(pattern)(value)).toBe(false);
  });
});
