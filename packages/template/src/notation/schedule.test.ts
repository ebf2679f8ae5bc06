import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextTime, parseSchedule, type Schedule } from './schedule.ts';

const after = (text: string, time: string): string | undefined => {
  const schedule = parseSchedule(text);
  const next = schedule && nextTime(schedule, Date.parse(time));
  return next === undefined ? undefined : new Date(next).toISOString().slice(0, 16);
};

describe('the next run', () => {
  it.each([
    ['hourly', '2026-03-01T10:00:00Z', '2026-03-01T11:00'],
    ['daily', '2026-12-31T10:00:00Z', '2027-01-01T00:00'],
    ['weekly', '2026-03-04T10:00:00Z', '2026-03-08T00:00'],
    ['*/15 * * * *', '2026-03-01T10:14:59Z', '2026-03-01T10:15'],
    ['*/15 * * * *', '2026-03-01T10:15:00Z', '2026-03-01T10:30'],
    ['5/20 * * * *', '2026-03-01T10:06:00Z', '2026-03-01T10:25'],
    ['30 2 * * 1-5', '2026-03-06T03:00:00Z', '2026-03-09T02:30'],
    ['0 9,17 * * mon', '2026-03-02T09:00:00Z', '2026-03-02T17:00'],
    ['0 0 29 feb *', '2026-03-01T00:00:00Z', '2028-02-29T00:00'],
    ['0 0 29 2 *', '2097-01-01T00:00:00Z', '2104-02-29T00:00'],
    ['0 0 * * 7', '2026-03-04T10:00:00Z', '2026-03-08T00:00'],
    // Either day fits where both are given.
    ['0 0 13 * fri', '2026-03-10T00:00:00Z', '2026-03-13T00:00'],
    ['0 0 15 * fri', '2026-03-10T00:00:00Z', '2026-03-13T00:00'],
  ])('of %s after %s is %s', (schedule, time, expected) => {
    expect(after(schedule, time)).toBe(expected);
  });

  it('is the first whole minute that matches', () => {
    const number = (max: number) => fc.integer({ min: 0, max });
    const field = (low: number, max: number) =>
      fc.oneof(
        fc.constant('*'),
        fc.integer({ min: low, max }).map(String),
        fc.integer({ min: 1, max: 20 }).map((step) => `*/${step}`),
      );
    fc.assert(
      fc.property(field(0, 59), field(0, 23), field(0, 6), number(86_400_000), (minute, hour, weekday, offset) => {
        const schedule = parseSchedule(`${minute} ${hour} * * ${weekday}`) as Schedule;
        const from = Date.UTC(2026, 0, 1) + offset;
        const next = nextTime(schedule, from) as number;
        const fits = (time: number) => {
          const date = new Date(time);
          const { minutes, hours, weekdays } = schedule;
          return minutes.has(date.getUTCMinutes()) && hours.has(date.getUTCHours()) && weekdays.has(date.getUTCDay());
        };
        expect(next % 60_000).toBe(0);
        expect(next).toBeGreaterThan(from);
        expect(fits(next)).toBe(true);
        for (let time = next - 60_000; time > from; time -= 60_000) expect(fits(time)).toBe(false);
      }),
      { numRuns: 50 },
    );
  });
});

it.each([
  '',
  'monthly',
  '60 * * * *',
  '* 24 * * *',
  '* * 0 * *',
  '* * * 13 *',
  '* * * * 8',
  '*/0 * * * *',
  '5-1 * * * *',
  '* * * *',
  '* * * * * *',
  'a * * * *',
  '0 0 31 2 *',
  '-1 * * * *',
])('%j is not a schedule', (text) => expect(parseSchedule(text)).toBeUndefined());
