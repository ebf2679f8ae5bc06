import type { Connection } from '@hortus/contract/resources/connections';
import { expect, it } from 'vitest';
import { attributesOf, changesOf, typedAgain } from './attribute-values.ts';

const fields = [
  ['host', { label: 'Host' }],
  ['username', { label: 'User' }],
  ['password', { label: 'Password', secret: true }],
] as const;
const connection = {
  attributes: { host: 'a', username: 'u' },
  secret_attributes: ['password'],
} as unknown as Connection;

it('a new connection has the filled fields of its class', () => {
  expect(attributesOf(fields, { host: 'a', username: '', other: 'x' })).toEqual({ host: 'a' });
});

it('an emptied field removes its value, and an empty secret keeps it', () => {
  expect(changesOf(fields, connection, { host: 'a', username: '', password: '' })).toEqual({ username: null });
  expect(changesOf(fields, connection, { host: 'b', username: 'u', password: 'p' })).toEqual({
    host: 'b',
    password: 'p',
  });
});

it('another address asks for the stored secrets again, another sender does not', () => {
  expect(typedAgain(connection, { host: 'b' })).toEqual(['password']);
  expect(typedAgain(connection, { host: 'b', password: 'p' })).toEqual([]);
  expect(typedAgain(connection, { from: 'me@example.org' })).toEqual([]);
});
