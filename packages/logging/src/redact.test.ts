import { growth } from '@hortus/testkit/growth';
import { expect, it } from 'vitest';
import { redact, redactJson } from './redact.ts';

it.each([
  ['the key hk_live_hunter2hunter2', 'the key hk_live_[removed]'],
  ['line\nhs_test_hunter2hunter2', 'line\nhs_test_[removed]'],
  ['Authorization: bearer hunter2hunter2, then', 'Authorization: Bearer [removed] then'],
  ['postgres://hortus:hunter2@db/x', 'postgres://hortus:[removed]@db/x'],
  // People forget to encode these.
  ['redis://:hunt@er2@db', 'redis://:[removed]@db'],
  ['https://me:hunt/er2\\@host/a', 'https://me:[removed]@host/a'],
  ['http://one:80/a,amqp://me:hunter2@host', 'http://one:[removed]@host'],
])('%j loses its secret', (text, expected) => {
  expect(redact(text)).toBe(expected);
});

it.each([
  'GET http://127.0.0.1:8080/containers/json',
  'https://registry.example.org/app:1.0@sha256:0123',
  'gardener@example.org',
  'ssh://git@example.org/garden',
  'a://b//c',
])('%j stays as it is', (text) => {
  expect(redact(text)).toBe(text);
});

it('removes the secrets of the process, but no ordinary short words', () => {
  expect(redact('a hunter2-value and a dot', ['hunter2-value', 'a', ''])).toBe('a [removed] and a dot');
});

it('recognises secrets behind an escaped line break of a JSON line', () => {
  const line = JSON.stringify({ msg: 'first\nhk_live_hunter2hunter2\nBearer hunter2\nx://a:hunter2@b' });
  expect(redactJson(line)).not.toContain('hunter2');
  expect(() => JSON.parse(redactJson(line))).not.toThrow();
});

it.each(['Bearer ', 'hk_live_', 'a://', 'a:', '@', ' ', '/', '"', '\\'])(
  'a long run of %j is read in linear time',
  (unit) => {
    expect(growth((length) => redactJson(`x://${unit.repeat(length)} x`), 16_384)).toBeLessThan(8);
  },
);
