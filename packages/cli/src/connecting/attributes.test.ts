import { expect, test } from 'vitest';
import type { World } from '../world/world.ts';
import { repeatedSecrets } from './attributes.ts';

const connection = { attributes: { host: 'a', port: '587' }, secret_attributes: ['password'] };
const asking = (interactive: boolean) => ({ terminal: { interactive, ask: async () => 'typed' } }) as unknown as World;

test('another host asks for the stored secrets again; in a script they must be given', async () => {
  const changes: Record<string, string | null> = { host: 'b' };
  await repeatedSecrets(asking(true), connection, changes);
  expect(changes).toEqual({ host: 'b', password: 'typed' });
  await expect(repeatedSecrets(asking(false), connection, { host: 'b' })).rejects.toThrow(
    'password must be given again: host changes where it is sent',
  );
});

test('the same host, another sender and a removed secret ask for nothing', async () => {
  for (const changes of [{ host: 'a' }, { from: 'me@example.org' }, { host: 'b', password: null }]) {
    const before = { ...changes };
    await repeatedSecrets(asking(false), connection, changes);
    expect(changes).toEqual(before);
  }
});
