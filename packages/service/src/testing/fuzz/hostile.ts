import type { Dice } from './dice.ts';

/** Hostile texts that every public service receives. */
const texts: readonly string[] = [
  '',
  ' ',
  '\u0000',
  'x\u0000y',
  '\ud800',
  '\u202e\u2066',
  "' or 1=1 --",
  '"; drop table definitions; --',
  '%00%0a%0d',
  '../../../../etc/passwd',
  '${secrets.DB_PASSWORD}',
  '${inputs.X:+y}',
  '$(reboot)`id`',
  '{{7*7}}',
  '<script>alert(1)</script>',
  'a\r\nX-Injected: 1',
  '__proto__',
  'constructor',
  'toString',
  'tpl_',
  'def_00000000000000000000000000',
  '-1',
  '1e309',
  'NaN',
  '9007199254740993',
  '99999-01-01T00:00:00Z',
  'http://169.254.169.254/latest',
  'http://[::ffff:127.0.0.1]:1/',
  'file:///etc/passwd',
  `${'a'.repeat(40)}!`,
  'ﷺ'.repeat(500),
  'x'.repeat(70_000),
];

const numbers: readonly number[] = [0, -0, -1, 0.5, 1e308, -1e308, 2 ** 31, 2 ** 53, 2 ** 63, 1e21, Number.MIN_VALUE];

export function hostileText(dice: Dice): string {
  return dice.of(texts);
}

function hostileValue(dice: Dice, depth = 0): unknown {
  if (depth === 0 && dice.oneIn(30)) return nested(dice.of([80, 1_000]));
  const kind = dice.between(0, depth > 2 ? 3 : 6);
  if (kind <= 1) return hostileText(dice);
  if (kind === 2) return dice.of(numbers);
  if (kind === 3) return dice.of<unknown>([null, true, false, [], {}]);
  if (kind === 4) return Array.from({ length: dice.of([1, 3, 2000]) }, () => 'x');
  if (kind === 5) return { [hostileText(dice).slice(0, 100)]: hostileValue(dice, depth + 1) };
  return [hostileValue(dice, depth + 1)];
}

function nested(levels: number): unknown {
  let value: unknown = [];
  for (let i = 1; i < levels; i++) value = i % 2 === 0 ? [value] : { a: value };
  return value;
}

/** Returns texts that are not JSON, or JSON that breaks careless parsers. */
export function hostileBody(dice: Dice): string {
  return dice.of([
    '',
    '{',
    '{"a":1,}',
    '\ufeff{}',
    'null',
    '[]',
    '0',
    '"x"',
    '{"__proto__":{"admin":true}}',
    '{"constructor":{"prototype":{"admin":true}}}',
    `${'['.repeat(50_000)}${']'.repeat(50_000)}`,
    `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`,
    '{"a":1,"a":2}',
    '{"name":"\\ud800"}',
    '{"name":1e400}',
    `{"name":"${'x'.repeat(1_100_000)}"}`,
  ]);
}

/** Returns the value with one part, at any depth, removed, duplicated, added or of another type. */
export function almost(value: unknown, dice: Dice): unknown {
  if (Array.isArray(value)) {
    if (value.length === 0 || dice.oneIn(4)) return dice.of<unknown>([[...value, ...value], [], hostileValue(dice)]);
    const place = dice.between(0, value.length - 1);
    return value.map((item, index) => (index === place ? almost(item, dice) : item));
  }
  if (typeof value === 'object' && value !== null) return almostObject(value as Record<string, unknown>, dice);
  if (typeof value === 'string' && dice.oneIn(3)) {
    return dice.of([`${value} `, value.slice(0, -1), value.toUpperCase(), `${value}\u0000`, value.repeat(50)]);
  }
  if (typeof value === 'number' && dice.oneIn(3)) return dice.of([value + 0.5, -value, value * 1e9, String(value)]);
  return hostileValue(dice);
}

function almostObject(value: Readonly<Record<string, unknown>>, dice: Dice): object {
  const names = Object.keys(value);
  if (names.length === 0 || dice.oneIn(5)) return { ...value, [hostileText(dice).slice(0, 200)]: hostileValue(dice) };
  const name = dice.of(names);
  const { [name]: spoilt, ...rest } = value;
  return dice.oneIn(4) ? rest : { ...rest, [name]: almost(spoilt, dice) };
}
