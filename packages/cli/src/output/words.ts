/** Formats times and sizes for people. */

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

export function ago(at: string | null, now: number): string {
  if (at === null) return 'never';
  const passed = now - Date.parse(at);
  if (passed < 10 * second) return 'just now';
  if (passed < minute) return `${Math.floor(passed / second)} s ago`;
  if (passed < hour) return `${Math.floor(passed / minute)} min ago`;
  if (passed < 2 * day) return `${Math.floor(passed / hour)} h ago`;
  return `${Math.floor(passed / day)} days ago`;
}

/** Formats a duration; seconds have one decimal. */
export function lasting(ms: number): string {
  if (ms < minute) return `${(Math.max(0, ms) / second).toFixed(1)} s`;
  if (ms < hour) return `${Math.floor(ms / minute)} min ${Math.floor((ms % minute) / second)} s`;
  if (ms < 2 * day) return `${Math.floor(ms / hour)} h ${Math.floor((ms % hour) / minute)} min`;
  return `${Math.floor(ms / day)} days`;
}

/** Formats the time between two timestamps. */
export const between = (from: string, to: string): string => lasting(Date.parse(to) - Date.parse(from));

const sized = (bytes: number, base: number, units: readonly string[]): string => {
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log(bytes) / Math.log(base)));
  const value = bytes / base ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`;
};

export const memory = (bytes: number): string => sized(bytes, 1024, ['B', 'KiB', 'MiB', 'GiB', 'TiB']);
export const disk = (bytes: number): string => sized(bytes, 1000, ['B', 'kB', 'MB', 'GB', 'TB']);

export const count = (number: number, text: string, many = `${text}s`): string =>
  `${number} ${number === 1 ? text : many}`;

const units: Readonly<Record<string, number>> = { s: second, m: minute, h: hour };

/** Parses '90s', '10m', '1h30m' or a number of seconds to milliseconds; undefined if invalid. */
export function durationOf(text: string): number | undefined {
  if (/^\d+$/.test(text)) return Number(text) * second;
  if (!/^(\d+[smh])+$/.test(text)) return undefined;
  return [...text.matchAll(/(?<!\d)(\d+)([smh])/g)].reduce(
    (sum, [, n, unit]) => sum + Number(n) * (units[unit ?? ''] ?? 0),
    0,
  );
}
