/** A recurring schedule in UTC: each field contains the matching values. */
export interface Schedule {
  minutes: ReadonlySet<number>;
  hours: ReadonlySet<number>;
  days: ReadonlySet<number>;
  months: ReadonlySet<number>;
  weekdays: ReadonlySet<number>;
  /** If both day fields are given, a day matches by either, as in cron. */
  eitherDay: boolean;
}

const WORDS: Record<string, string> = { hourly: '0 * * * *', daily: '0 0 * * *', weekly: '0 0 * * 0' };
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** The 29th of February may be eight years away. */
const FARTHEST = 9 * 366 * DAY;

/**
 * Parses `hourly`, `daily`, `weekly` or a cron expression of five fields; undefined if it is invalid or never occurs.
 */
export function parseSchedule(text: string): Schedule | undefined {
  const fields = (WORDS[text] ?? text).trim().toLowerCase().split(/\s+/);
  if (fields.length !== 5) return undefined;
  const [minute, hour, day, month, weekday] = fields as [string, string, string, string, string];
  const minutes = values(minute, 0, 59);
  const hours = values(hour, 0, 23);
  const days = values(day, 1, 31);
  const months = values(month, 1, 12, MONTHS);
  const input = values(weekday, 0, 7, WEEKDAYS);
  if (!minutes || !hours || !days || !months || !input) return undefined;
  // Sunday is 0 and 7.
  const weekdays = new Set([...input].map((number) => number % 7));
  const schedule = {
    minutes,
    hours,
    days,
    months,
    weekdays,
    eitherDay: !day.startsWith('*') && !weekday.startsWith('*'),
  };
  return nextTime(schedule, 0) === undefined ? undefined : schedule;
}

/** Returns the first matching time after `after`, both in milliseconds since 1970; undefined if there is none. */
export function nextTime(schedule: Schedule, after: number): number | undefined {
  let time = Math.floor(after / MINUTE) * MINUTE + MINUTE;
  for (const end = time + FARTHEST; time < end; ) {
    const date = new Date(time);
    if (!fitsDay(schedule, date)) time = Math.floor(time / DAY) * DAY + DAY;
    else if (!schedule.hours.has(date.getUTCHours())) time = Math.floor(time / HOUR) * HOUR + HOUR;
    else if (!schedule.minutes.has(date.getUTCMinutes())) time += MINUTE;
    else return time;
  }
  return undefined;
}

function fitsDay({ days, months, weekdays, eitherDay }: Schedule, date: Date): boolean {
  if (!months.has(date.getUTCMonth() + 1)) return false;
  const byDay = days.has(date.getUTCDate());
  const byWeekday = weekdays.has(date.getUTCDay());
  return eitherDay ? byDay || byWeekday : byDay && byWeekday;
}

/** Parses `*`, `5`, `1-5`, each with an optional step `/2`, and lists of them. */
function values(field: string, lowest: number, highest: number, names: string[] = []): Set<number> | undefined {
  const found = new Set<number>();
  for (const part of field.split(',')) {
    const form = /^(?:(\*)|([a-z]+|\d+)(?:-([a-z]+|\d+))?)(?:\/(\d+))?$/.exec(part);
    if (form === null) return undefined;
    const [, every, from, to, by] = form;
    const number = (text: string): number => {
      const index = names.indexOf(text);
      return index >= 0 ? index + lowest : Number(text);
    };
    const first = every || from === undefined ? lowest : number(from);
    // A step after a single value extends to the end of the range.
    const last = to !== undefined ? number(to) : every || by !== undefined ? highest : first;
    const step = by === undefined ? 1 : Number(by);
    if (!(first >= lowest && last <= highest && first <= last && step >= 1)) return undefined;
    for (let value = first; value <= last; value += step) found.add(value);
  }
  return found;
}
