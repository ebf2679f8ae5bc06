let lastTime = Number.NaN;
let lastText = '';

/** Formats milliseconds as ISO 8601 in UTC. Caches the last value, because records often show the same time twice. */
export function iso(time: number): string {
  if (time !== lastTime) {
    lastText = new Date(time).toISOString();
    lastTime = time;
  }
  return lastText;
}

export const isoOrNull = (time: number | null): string | null => (time === null ? null : iso(time));
