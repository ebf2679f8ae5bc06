import type { MetricRange } from '@hortus/contract/resources/metrics';

interface Range {
  readonly range: MetricRange;
  readonly words: string;
  readonly ms: number;
}

const HOUR = 3_600_000;
const DAY_RANGE: Range = { range: '24h', words: 'last 24 h', ms: 24 * HOUR };

/** From the shortest to the longest. */
export const RANGES: readonly Range[] = [
  { range: '1h', words: 'last hour', ms: HOUR },
  DAY_RANGE,
  { range: '7d', words: 'last 7 days', ms: 168 * HOUR },
];

/** The range that the URL names; a day by default. */
export const chosenRange = (name: string | undefined): Range => RANGES.find(({ range }) => range === name) ?? DAY_RANGE;

/**
 * What the charts show of an instance. One that is younger than the chosen range is shown from its beginning, in the steps of the
 * shortest range that contains its life: an hour in a chart of a day would be a few points at its edge.
 */
export function shownSpan(
  range: MetricRange,
  bornAt: number,
  now: number,
): { range: MetricRange; from: number; words: string } {
  const chosen = chosenRange(range);
  const age = Math.max(0, now - bornAt);
  if (age >= chosen.ms) return { range, from: now - chosen.ms, words: chosen.words };
  const shortest = RANGES.find(({ ms }) => ms > age) ?? chosen;
  return { range: shortest.range, from: bornAt, words: 'since it was created' };
}
