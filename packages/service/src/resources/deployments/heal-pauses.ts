import { type BackoffTimes, backoffMs } from '@hortus/contract/runtime/backoff';

/** Heal history of an instance. */
export interface Healed {
  /** Consecutive heals, and the time of the last one. */
  readonly heals: number;
  readonly healed_at: number | null;
}

const MINUTE = 60_000;
const PAUSES: BackoffTimes = { firstMs: MINUTE, maxMs: 60 * MINUTE };
/** Without jitter: one instance has no herd to avoid, and the time must be the same whenever it is asked for. */
const exact = () => 1;
/** After this time without drift the pauses start over. */
const CALM_AFTER = 6 * 60 * MINUTE;

/**
 * Returns when an instance may be healed next: the first time immediately, then after 1, 2, 4, … minutes up to an hour.
 * Caps healing at about 30 attempts a day if something keeps changing the instance.
 */
export function nextHealAt({ heals, healed_at }: Healed): number {
  if (healed_at === null || heals === 0) return 0;
  return healed_at + backoffMs(heals, PAUSES, exact);
}

/** Records a heal at `now`. */
export function healedNow({ heals, healed_at }: Healed, now: number): { heals: number; healed_at: number } {
  const isCalm = healed_at === null || now - healed_at > CALM_AFTER;
  return { heals: isCalm ? 1 : Math.min(heals + 1, 10), healed_at: now };
}
