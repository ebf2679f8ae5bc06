import { describe, expect, test } from 'vitest';
import { BodyPace } from './body-pace.ts';

const KIB = 1024;
const limits = { perCaller: 1_000 * KIB, total: 2_000 * KIB };

/** Sends chunks of 100 KiB one after the other, each after the wait for the one before it; returns the time it took. */
function send(pace: BodyPace, clock: { ms: number }, caller: string, chunks: number): number {
  const begun = clock.ms;
  const waitAfter = pace.open(caller);
  for (let i = 0; i < chunks; i++) clock.ms += waitAfter(100 * KIB);
  return clock.ms - begun;
}

describe('the pace of large bodies', () => {
  test('lets one second of a caller pass at full speed, and then reads at its rate', () => {
    const clock = { ms: 0 };
    const pace = new BodyPace(limits, () => clock.ms);
    expect(send(pace, clock, 'a', 10)).toBe(0);
    expect(send(pace, clock, 'a', 10)).toBe(1_000);
    expect(send(pace, clock, 'b', 10)).toBe(0);
  });

  test('forgives a caller that has paused', () => {
    const clock = { ms: 0 };
    const pace = new BodyPace(limits, () => clock.ms);
    send(pace, clock, 'a', 15);
    clock.ms += 1_000;
    expect(send(pace, clock, 'a', 10)).toBe(0);
  });

  test('remembers only callers that are ahead of their rate, so that a flood of callers fills no memory', () => {
    const clock = { ms: 0 };
    const pace = new BodyPace({ ...limits, total: 1_000_000 * KIB }, () => clock.ms);
    for (let caller = 0; caller < 1_000; caller++) {
      send(pace, clock, `caller ${caller}`, 2);
      clock.ms += 50;
    }
    expect(pace.size).toBeLessThanOrEqual(10);
  });

  test('limits many callers together', () => {
    const clock = { ms: 0 };
    const pace = new BodyPace(limits, () => clock.ms);
    for (const caller of ['a', 'b', 'c']) send(pace, clock, caller, 10);
    expect(clock.ms).toBe(500);
  });

  test('never delays a small body, whatever its caller sent before', () => {
    const clock = { ms: 0 };
    const pace = new BodyPace(limits, () => clock.ms);
    send(pace, clock, 'a', 50);
    expect(pace.open('a')(64 * KIB)).toBe(0);
  });
});
