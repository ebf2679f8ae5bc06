let lastTime = Number.NaN;
let lastText = '';

/** Times are kept as milliseconds and shown as ISO 8601 in UTC. A record shows the same one twice as a rule. */
export function iso(time: number): string {
  if (time !== lastTime) {
    lastText = new Date(time).toISOString();
    lastTime = time;
  }
  return lastText;
}

export const isoOrNull = (time: number | null): string | null => (time === null ? null : iso(time));
