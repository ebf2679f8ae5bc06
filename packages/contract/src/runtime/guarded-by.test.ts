import { expect, test } from 'vitest';
import { guardedBy } from './guarded-by.ts';

test('exceptions and rejections of a guarded listener reach the handler', async () => {
  const caught: string[] = [];
  const guard = (listener: (what: string) => unknown) =>
    guardedBy(({ message }) => void caught.push(message), listener);
  const fail = (what: string): void => {
    throw new Error(what);
  };
  guard(fail)('thrown');
  guard(async (what) => fail(what))('rejected');
  await Promise.resolve();
  expect(caught).toEqual(['thrown', 'rejected']);
});
