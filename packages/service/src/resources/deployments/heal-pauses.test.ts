import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Healed, healedNow, nextHealAt } from './heal-pauses.ts';

const HOUR = 3_600_000;
const fresh: Healed = { heals: 0, healed_at: null };

/** Breaks the instance again after each heal, at the given intervals. */
function fight(breaks: readonly number[], until: number): number[] {
  let state = fresh;
  let now = 0;
  const healedAt: number[] = [];
  for (const pause of breaks) {
    now = Math.max(now + pause, nextHealAt(state));
    if (now > until) break;
    state = healedNow(state, now);
    healedAt.push(now);
  }
  return healedAt;
}

describe('healing', () => {
  it('starts immediately and then leaves growing pauses', () => {
    const minutes = fight(Array(9).fill(0), 24 * HOUR).map((at) => at / 60_000);
    expect(minutes).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183]);
  });

  it('never happens more than forty times a day, however often the instance breaks', () => {
    const pause = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 8 * HOUR }));
    fc.assert(
      fc.property(fc.array(pause, { minLength: 50, maxLength: 200 }), (breaks) => {
        const all = fight(breaks, Number.POSITIVE_INFINITY);
        for (const begin of all) {
          expect(all.filter((at) => at >= begin && at < begin + 24 * HOUR).length).toBeLessThanOrEqual(40);
        }
      }),
    );
  });

  it('is immediate again after hours without drift', () => {
    const tired = fight(Array(9).fill(0), 24 * HOUR).at(-1) as number;
    const state = healedNow({ heals: 9, healed_at: tired }, tired + 7 * HOUR);
    expect(nextHealAt(state) - (tired + 7 * HOUR)).toBe(60_000);
  });
});
