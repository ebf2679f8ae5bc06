/** What is remembered of the healing of an instance. */
export interface Healed {
  /** In a row, and when last. */
  readonly heals: number;
  readonly healed_at: number | null;
}

const MINUTE = 60_000;
const LONGEST_PAUSE = 60 * MINUTE;
/** Whoever was left alone for so long has nobody to fight with: the next drift is a new story. */
const CALM_AFTER = 6 * 60 * MINUTE;

/**
 * When an instance may be healed next: the first time at once, then after a minute, two, four and so on up to an hour. Somebody
 * or something that keeps changing it is so met some thirty times a day and not without end.
 */
export function nextHealAt({ heals, healed_at }: Healed): number {
  if (healed_at === null || heals === 0) return 0;
  return healed_at + Math.min(MINUTE * 2 ** (heals - 1), LONGEST_PAUSE);
}

/** What is remembered once it is healed now. */
export function healedNow({ heals, healed_at }: Healed, now: number): { heals: number; healed_at: number } {
  const isCalm = healed_at === null || now - healed_at > CALM_AFTER;
  return { heals: isCalm ? 1 : Math.min(heals + 1, 10), healed_at: now };
}
