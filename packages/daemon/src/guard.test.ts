import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import { guarded } from './guard.ts';

test('a listener that throws or rejects is logged and does not end the process', async () => {
  const said: unknown[] = [];
  const log = { error: (message: string, fields = {}) => void said.push([message, fields]) };
  const fail = (what: string): void => {
    throw new Error(what);
  };
  guarded(log, fail)('thrown');
  guarded(log, async (what: string) => fail(what))('rejected');
  await until(() => said.length === 2, { describe: 'both to be reported' });
  expect(said).toEqual(['thrown', 'rejected'].map((what) => ['a listener failed', { error: new Error(what) }]));
});
