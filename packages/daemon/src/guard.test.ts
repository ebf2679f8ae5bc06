import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import { guarded } from './guard.ts';

test('a listener that throws or rejects is logged and does not end the process', async () => {
  const said: unknown[] = [];
  const log = { error: (fields: unknown, message?: string) => void said.push([fields, message]) };
  const fail = (what: string): void => {
    throw new Error(what);
  };
  guarded(log, fail)('thrown');
  guarded(log, async (what: string) => fail(what))('rejected');
  await until(() => said.length === 2, { describe: 'both to be reported' });
  expect(said).toEqual(['thrown', 'rejected'].map((what) => [{ err: new Error(what) }, 'a listener failed']));
});
