import { expect, it } from 'vitest';
import { firstSuccess } from './first-success.ts';

/** Attempts that end when the test decides. */
function attempts(count: number) {
  const begun: PromiseWithResolvers<string>[] = [];
  const begin = () => {
    const attempt = Promise.withResolvers<string>();
    begun.push(attempt);
    return attempt.promise;
  };
  return { begun, all: Array.from({ length: count }, () => begin) };
}
const LONG = 60_000;

it('the next attempt begins when one has failed', async () => {
  const { begun, all } = attempts(3);
  const result = firstSuccess(all, { aloneMs: LONG, discard: () => {} });
  expect(begun).toHaveLength(1);
  begun[0]?.reject(new Error('down'));
  await expect.poll(() => begun.length).toBe(2);
  begun[1]?.resolve('two');
  expect(await result).toBe('two');
  expect(begun).toHaveLength(2);
});

it('the next attempt begins beside one that is late, and the result of a later success is discarded', async () => {
  const { begun, all } = attempts(2);
  const discarded: string[] = [];
  const result = firstSuccess(all, { aloneMs: 1, discard: (late) => discarded.push(late) });
  await expect.poll(() => begun.length).toBe(2);
  begun[1]?.resolve('two');
  expect(await result).toBe('two');
  begun[0]?.resolve('one');
  await expect.poll(() => discarded).toEqual(['one']);
});

it('if all attempts fail, the error has the reason of each', async () => {
  const { begun, all } = attempts(2);
  const result = firstSuccess(all, { aloneMs: LONG, discard: () => {} });
  begun[0]?.reject(new Error('down'));
  await expect.poll(() => begun.length).toBe(2);
  begun[1]?.reject(new Error('standby'));
  await expect(result).rejects.toMatchObject({ errors: [{ message: 'down' }, { message: 'standby' }] });
});
