import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ApiProblem } from './problem.ts';
import { retryAfterOf } from './response.ts';
import { defaultRetries, pauseAfter, sleep } from './retry.ts';

const problem = (status: number, retryAfter?: number) =>
  new ApiProblem({ code: 'SERVER_ERROR', status, message: 'No.', retryAfter });

test('pauses double, jitter within half, and stay under the cap', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), fc.double({ min: 0, max: 1, noNaN: true }), (attempt, random) => {
      const policy = { ...defaultRetries, attempts: 100 };
      const full = Math.min(policy.maxMs, policy.baseMs * 2 ** (attempt - 1));
      const pause = pauseAfter(problem(500), attempt, policy, () => random) ?? Number.NaN;
      expect(pause).toBeGreaterThanOrEqual(full / 2);
      expect(pause).toBeLessThanOrEqual(full);
    }),
  );
});

test('a 429 without Retry-After waits a minute', () => {
  expect(pauseAfter(problem(429), 1, defaultRetries, () => 0)).toBeGreaterThanOrEqual(60_000);
});

test('client errors and the last attempt are not retried', () => {
  for (const status of [401, 403, 404, 422]) expect(pauseAfter(problem(status), 1, defaultRetries)).toBeUndefined();
  expect(pauseAfter(problem(500), defaultRetries.attempts, defaultRetries)).toBeUndefined();
});

test('Retry-After is read in both forms', () => {
  const now = Date.parse('2030-01-01T00:00:00Z');
  expect(retryAfterOf('7')).toBe(7);
  expect(retryAfterOf('Tue, 01 Jan 2030 00:00:05 GMT', now)).toBe(5);
  expect(retryAfterOf('Tue, 01 Jan 2019 00:00:05 GMT', now)).toBe(0);
  for (const nonsense of [null, '', 'soon']) expect(retryAfterOf(nonsense)).toBeUndefined();
});

test('an aborted sleep ends at once', async () => {
  const controller = new AbortController();
  const slept = sleep(60_000, controller.signal);
  controller.abort(new Error('enough'));
  await expect(slept).rejects.toThrow('enough');
});
