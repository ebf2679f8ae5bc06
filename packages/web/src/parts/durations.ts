const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** "6 min", "3 h", "12 days": how long something has lasted. */
export function lasting(ms: number): string {
  if (ms < MINUTE) return `${Math.max(1, Math.round(ms / 1000))} s`;
  if (ms < HOUR) return `${Math.round(ms / MINUTE)} min`;
  if (ms < 2 * DAY) return `${Math.round(ms / HOUR)} h`;
  return `${Math.round(ms / DAY)} days`;
}

/** "< 0.1 s", "6.4 s" below a minute, else "2 min 4 s": how long a step took. */
export function took(ms: number): string {
  if (ms < 50) return '< 0.1 s';
  if (ms < MINUTE) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / MINUTE)} min ${Math.round((ms % MINUTE) / 1000)} s`;
}
