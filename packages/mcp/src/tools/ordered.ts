/** Tells what was ordered and how to follow it. */
export const ordered = (what: string, id: string): string =>
  `${what} Ordered ${id}. Next: show_progress with this id and wait_seconds.`;
