import { expect, it } from 'vitest';
import { LoginThrottle, MOST_FAILURES } from './login-throttle.ts';

const limited = expect.objectContaining({ code: 'RATE_LIMITED' });

it('stops after so many failures and says how long to wait', () => {
  let now = 0;
  const throttle = new LoginThrottle(() => now);
  for (let i = 1; i <= MOST_FAILURES; i++) expect(throttle.attempt('192.0.2.1', 'a@b')).toBe(i);
  now = 60_000;
  expect(() => throttle.attempt('192.0.2.1', 'a@b')).toThrow(limited);
  try {
    throttle.attempt('192.0.2.1', 'a@b');
  } catch (problem) {
    expect(problem).toMatchObject({ details: { retry_after: 14 * 60 } });
  }
  // The owner of the account is not locked out by somebody else's attempts.
  expect(throttle.attempt('192.0.2.2', 'a@b')).toBe(1);
  now = 15 * 60_000;
  expect(throttle.attempt('192.0.2.1', 'a@b')).toBe(1);
});

it('stops an address that tries everybody', () => {
  const throttle = new LoginThrottle(() => 0);
  for (let i = 0; i < 100; i++) throttle.attempt('192.0.2.1', `${i}@b`);
  expect(() => throttle.attempt('192.0.2.1', 'new@b')).toThrow(limited);
});

it('does not count what succeeded', () => {
  const throttle = new LoginThrottle(() => 0);
  for (let i = 0; i < 200; i++) {
    expect(throttle.attempt('192.0.2.1', 'a@b')).toBe(1);
    throttle.succeeded('192.0.2.1', 'a@b');
  }
});

it('keeps counting the one at hand when others fill it up', () => {
  const throttle = new LoginThrottle(() => 0);
  for (let i = 0; i < 50_000; i++) throttle.attempt(`address ${i}`, 'a@b');
  for (let i = 1; i <= MOST_FAILURES; i++) throttle.attempt('192.0.2.1', 'a@b');
  expect(() => throttle.attempt('192.0.2.1', 'a@b')).toThrow(limited);
});
