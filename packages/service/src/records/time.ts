const DAY_MS = 86_400_000;
const MAX_DAYS = 1_000;
/** Beyond it there is no Date. */
const LAST_TIME = 100_000_000 * DAY_MS;

/** The first part of the text of recent days, `2026-01-02T`: making it takes most of the time of a format. */
const days = new Map<number, string>();

/** Formats milliseconds as ISO 8601 in UTC. */
export function iso(time: number): string {
  const day = Math.floor(time / DAY_MS);
  const rest = time - day * DAY_MS;
  // Throws for what is no time.
  if (!Number.isInteger(time) || Math.abs(time) > LAST_TIME) return new Date(time).toISOString();
  const seconds = Math.floor(rest / 1_000);
  const minutes = Math.floor(seconds / 60);
  const clock = `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:${two(seconds % 60)}`;
  return `${dayText(day)}${clock}.${String(rest % 1_000).padStart(3, '0')}Z`;
}

function dayText(day: number): string {
  let text = days.get(day);
  if (text === undefined) {
    if (days.size >= MAX_DAYS) days.clear();
    text = new Date(day * DAY_MS).toISOString().slice(0, -'00:00:00.000Z'.length);
    days.set(day, text);
  }
  return text;
}

const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));
const two = (number: number): string => twoDigits[number] as string;

export const isoOrNull = (time: number | null): string | null => (time === null ? null : iso(time));
