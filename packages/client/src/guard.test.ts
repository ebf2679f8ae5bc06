import { expect, test } from 'vitest';
import { guardedBy } from './guard.ts';

test('what a guarded listener throws or rejects with reaches the one who asked for it', async () => {
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
