import { expect, it } from 'vitest';
import { mayRefresh, noteRate } from './rate-budget.ts';

it('automatic refreshes stop at half of the rate limit, until it is renewed', () => {
  const respond = (remaining: number) =>
    new Headers({ 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': `${remaining}`, 'x-ratelimit-reset': '100' });
  expect(mayRefresh(99_000)).toBe(true);
  noteRate(respond(31));
  expect(mayRefresh(99_000)).toBe(true);
  noteRate(respond(30));
  expect(mayRefresh(99_000)).toBe(false);
  expect(mayRefresh(100_000)).toBe(true);
  noteRate(new Headers());
  expect(mayRefresh(99_000)).toBe(false);
});
