import { expect, it } from 'vitest';
import { AccountTurns } from './account-turns.ts';

it('a slow repository of one account does not delay another account, also after a failure', async () => {
  const turns = new AccountTurns();
  const slow = Promise.withResolvers<void>();
  const first = turns.take('acc_1', () => slow.promise);
  const done: string[] = [];
  const read = (account: string) => turns.take(account, async () => void done.push(account));
  expect(await read('acc_1')).toBe(false);
  expect(await read('acc_2')).toBe(true);
  slow.reject(new Error('gone'));
  await expect(first).rejects.toThrow('gone');
  expect(await read('acc_1')).toBe(true);
  expect(done).toEqual(['acc_2', 'acc_1']);
});
