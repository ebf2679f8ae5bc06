import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Sweeper } from '../bus/sweeper.ts';
import { currentCaller, currentDatabaseWait, endRequest, inRequest, nameCaller } from './request-context.ts';

const log = { error: expect.fail };

test('the queries of a request share their wait for the database, and other requests have their own', async () => {
  const [item, other] = await Promise.all([
    inRequest(async () => {
      const first = currentDatabaseWait();
      await turn();
      return [first, currentDatabaseWait()];
    }),
    inRequest(async () => [currentDatabaseWait()]),
  ]);
  expect(item[0]).toBe(item[1]);
  expect(other[0]).not.toBe(item[0]);
});

test('a loop that a request wakes does not share its wait for the database for ever', async () => {
  const seen: unknown[] = [];
  const { promise: swept, resolve } = Promise.withResolvers<void>();
  const sweep = async () => {
    seen.push(currentDatabaseWait());
    if (seen.length === 3) resolve();
    return 0;
  };
  const sweeper = new Sweeper({ sweep, name: 'a test', log });
  await inRequest(async () => sweeper.start());
  await swept;
  await sweeper.stop();
  expect(new Set(seen).size).toBe(seen.length);
});

test('a stream has its own wait for each query', async () => {
  await inRequest(async () => {
    nameCaller('account');
    expect(currentCaller()).toBe('account');
    endRequest();
    expect(currentDatabaseWait()).not.toBe(currentDatabaseWait());
    expect(currentCaller()).toBeUndefined();
  });
});
