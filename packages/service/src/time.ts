/** Times are kept as milliseconds and shown as ISO 8601 in UTC. */
export const iso = (time: number): string => new Date(time).toISOString();

export const isoOrNull = (time: number | null): string | null => (time === null ? null : iso(time));
