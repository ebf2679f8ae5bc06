import { expect, it } from 'vitest';
import {
  FREE_FOR_USER,
  LoginThrottle,
  MAX_DELAY_MS,
  MAX_FAILURES,
  MAX_FOR_NETWORK,
  MAX_HELD,
} from './login-throttle.ts';

const limited = expect.objectContaining({ code: 'RATE_LIMITED' });
const wrong = async () => false;
const right = async () => true;
const HOME = '192.0.2.1';
const USER = 'user@example.org';

/** A throttle whose clock stands still and whose delays end at once, and the delays that it asked for. */
function open() {
  const time = { now: 0 };
  const delays: number[] = [];
  const throttle = new LoginThrottle({ clock: () => time.now, delay: async (ms) => void delays.push(ms) });
  const attempt = (verify: () => Promise<boolean>, address = HOME, email = USER, known = false) =>
    throttle.check({ address, email, known }, verify);
  return { time, delays, throttle, attempt };
}

it('password guesses from one network for one user are refused after ten, for 15 minutes', async () => {
  const { time, attempt } = open();
  for (let i = 1; i <= MAX_FAILURES; i++) expect(await attempt(wrong)).toEqual({ right: false, failures: i });
  time.now = 60_000;
  await expect(attempt(right)).rejects.toMatchObject({ code: 'RATE_LIMITED', details: { retry_after: 14 * 60 } });
  time.now = 15 * 60_000;
  expect(await attempt(right)).toEqual({ right: true, failures: 1 });
});

it('parallel guesses cannot exceed the limit', async () => {
  const { attempt } = open();
  const results = await Promise.allSettled(Array.from({ length: 50 }, () => attempt(wrong)));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(MAX_FAILURES);
});

it('password spraying from one network is refused after a hundred attempts', async () => {
  const { attempt } = open();
  for (let i = 0; i < MAX_FOR_NETWORK; i++) await attempt(wrong, HOME, `${i}@example.org`);
  await expect(attempt(right)).rejects.toEqual(limited);
  // A user who signed in from there before does not suffer from the neighbours.
  expect(await attempt(right, HOME, USER, true)).toMatchObject({ right: true });
});

it('the addresses of one IPv6 /64 share one limit, however they are written', async () => {
  const { attempt } = open();
  for (let i = 1; i <= MAX_FAILURES; i++) await attempt(wrong, `2001:db8::${i.toString(16)}`);
  await expect(attempt(right, '2001:0DB8:0:0:ffff:1:2:3')).rejects.toEqual(limited);
  expect(await attempt(right, '2001:db8:0:1::1')).toMatchObject({ right: true });
});

it('a flood from many networks at one user delays new networks for seconds, known networks not at all, and refuses neither', async () => {
  const { delays, attempt } = open();
  for (let i = 0; i < 500; i++) await attempt(wrong, `198.51.${i >> 8}.${i & 255}`);
  expect(delays).toHaveLength(500 - FREE_FOR_USER);
  expect(Math.max(...delays)).toBe(MAX_DELAY_MS);
  delays.length = 0;
  expect(await attempt(right, HOME, USER, true)).toMatchObject({ right: true });
  expect(delays).toEqual([]);
  expect(await attempt(right, '203.0.113.1')).toMatchObject({ right: true });
  expect(delays).toEqual([MAX_DELAY_MS]);
});

it('unknown emails are delayed and refused like known ones, so that they cannot be told apart', async () => {
  const { delays, attempt } = open();
  for (const email of [USER, 'unknown@example.org'])
    for (let i = 0; i <= FREE_FOR_USER; i++) await attempt(wrong, `198.51.100.${i}`, email);
  expect(delays).toEqual([1_000, 1_000]);
});

it('a successful sign-in does not count as a failure', async () => {
  const { attempt } = open();
  for (let i = 0; i < 2 * MAX_FOR_NETWORK; i++) expect(await attempt(right)).toEqual({ right: true, failures: 1 });
});

it('an attempt that an overload prevented from being verified does not count', async () => {
  const { attempt } = open();
  const overloaded = () => Promise.reject(new Error('overloaded'));
  for (let i = 0; i < 2 * MAX_FAILURES; i++) await expect(attempt(overloaded)).rejects.toThrow('overloaded');
  expect(await attempt(right)).toEqual({ right: true, failures: 1 });
});

it('a flood keeps a bounded number of attempts waiting; the rest is refused and does not count', async () => {
  const ends: (() => void)[] = [];
  const throttle = new LoginThrottle({ clock: () => 0, delay: () => new Promise<void>((end) => ends.push(end)) });
  const attempt = (i: number) =>
    throttle.check({ address: `10.0.${i >> 8}.${i & 255}`, email: USER, known: false }, wrong);
  const all = Array.from({ length: FREE_FOR_USER + MAX_HELD }, (_, i) => attempt(i));
  const next = FREE_FOR_USER + MAX_HELD;
  await expect(attempt(next)).rejects.toEqual(limited);
  for (const end of ends) end();
  await Promise.all(all);
  const later = attempt(next);
  for (const end of ends) end();
  expect(await later).toMatchObject({ failures: next + 1 });
});
