import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { until } from './until.ts';

test('until returns the first truthy result', async () => {
  let polls = 0;
  expect(await until(() => ++polls === 3 && 'third', { describe: 'the third look', every: 1 })).toBe('third');
});

test('a condition that throws is retried', async () => {
  let polls = 0;
  const flaky = () => {
    if (++polls < 3) throw new Error('not up yet');
    return polls;
  };
  expect(await until(flaky, { describe: 'the service', every: 1 })).toBe(3);
});

test('a timeout of until reports what it waited for and the last error', async () => {
  const refused = () => Promise.reject(new Error('refused'));
  await expect(until(refused, { describe: 'a connection', within: 20, every: 1 })).rejects.toThrow(
    'Waited 20 ms in vain for a connection (refused)',
  );
});

test('a describe function shows the final state', async () => {
  let seen = 0;
  const waiting = until(() => void seen++, { describe: () => `more than ${seen} looks`, within: 20, every: 1 });
  await expect(waiting).rejects.toThrow(/more than [1-9]\d* looks/);
});

test('until checks once more after the timeout, even if the check before it took longer than the timeout', async () => {
  let polls = 0;
  const slowAtFirst = async () => {
    if (++polls === 1) await sleep(20);
    return polls === 2;
  };
  expect(await until(slowAtFirst, { describe: 'a late truth', within: 1, every: 20 })).toBe(true);
});
