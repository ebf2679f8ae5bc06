import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Sweeper } from '../bus/sweeper.ts';
import { currentCaller, currentPatience, endRequest, inRequest, nameCaller } from './request-context.ts';

const log = { error: expect.fail };

test('the queries of a request share their patience, and other requests have their own', async () => {
  const [one, other] = await Promise.all([
    inRequest(async () => {
      const first = currentPatience();
      await turn();
      return [first, currentPatience()];
    }),
    inRequest(async () => [currentPatience()]),
  ]);
  expect(one[0]).toBe(one[1]);
  expect(other[0]).not.toBe(one[0]);
});

test('a loop that a request wakes does not share its patience for ever', async () => {
  const seen: unknown[] = [];
  const { promise: swept, resolve } = Promise.withResolvers<void>();
  const sweep = async () => {
    seen.push(currentPatience());
    if (seen.length === 3) resolve();
    return 0;
  };
  const sweeper = new Sweeper({ sweep, name: 'a test', log });
  await inRequest(async () => sweeper.start());
  await swept;
  await sweeper.stop();
  expect(new Set(seen).size).toBe(seen.length);
});

test('a stream has its own patience for each query', async () => {
  await inRequest(async () => {
    nameCaller('account');
    expect(currentCaller()).toBe('account');
    endRequest();
    expect(currentPatience()).not.toBe(currentPatience());
    expect(currentCaller()).toBeUndefined();
  });
});
