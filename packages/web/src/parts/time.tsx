import { useSyncExternalStore } from 'react';
import { lasting } from './durations.ts';

/** One clock for all times on the page; it ticks every ten seconds while the page is visible. */
let now = Date.now();
const listeners = new Set<() => void>();
setInterval(() => {
  if (document.visibilityState !== 'visible') return;
  now = Date.now();
  for (const listener of listeners) listener();
}, 10_000);

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};
const useNow = (): number => useSyncExternalStore(subscribe, () => now);

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });

/** "just now", "6 min", "3 h", then the time of this morning, then the date. */
function inWords(at: number, present: number): string {
  const age = present - at;
  if (age < MINUTE / 2) return 'just now';
  if (age < HOUR) return `${Math.max(1, Math.round(age / MINUTE))} min`;
  if (age < 6 * HOUR) return `${Math.round(age / HOUR)} h`;
  return age < DAY ? clock.format(at) : day.format(at);
}

/** A time in words, with the exact one on hover. `ago` writes "6 min ago". */
export function Time({ at, ago }: { at: string; ago?: boolean }) {
  const present = useNow();
  const words = inWords(Date.parse(at), Math.max(present, Date.parse(at)));
  return (
    <time dateTime={at} title={exact.format(Date.parse(at))}>
      {ago && /(min|h)$/.test(words) ? `${words} ago` : words}
    </time>
  );
}

/** How long something has lasted until now, in words that keep up. */
export function Since({ at }: { at: string }) {
  const present = useNow();
  return <span title={exact.format(Date.parse(at))}>{lasting(Math.max(0, present - Date.parse(at)))}</span>;
}
