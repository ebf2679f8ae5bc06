import type { MetricRange } from '@hortus/contract/resources/metrics';

/** The two steps in which reports are kept, in seconds. Charts of a day and of a week need no minutes. */
export const FINE = 60;
export const COARSE = 300;
export const steps = [FINE, COARSE] as const;

/** Fine points are wanted for the last hour only; twice that leaves the hourly sweep its time. */
export const FINE_DAYS = 2 / 24;

/**
 * Reports that count within one point. A daemon reports twice a minute; one that reports without end must neither make a
 * point heavier than the others nor have the database write for it.
 */
export const MOST_SAMPLES = 60;

export interface Span {
  /** Of the points that it is read from. */
  readonly step: number;
  /** Of those that are answered, in milliseconds. */
  readonly width: number;
  readonly from: number;
  readonly to: number;
}

const windows: Readonly<Record<MetricRange, { step: number; width: number; points: number }>> = {
  '1h': { step: FINE, width: FINE * 1_000, points: 60 },
  '24h': { step: COARSE, width: COARSE * 1_000, points: 288 },
  '7d': { step: COARSE, width: 1_800_000, points: 336 },
};

/** The last point of a range is the one that now falls into. */
export function windowOf(range: MetricRange, now: number): Span {
  const { step, width, points } = windows[range];
  const last = Math.floor(now / width) * width;
  return { step, width, from: last - (points - 1) * width, to: now };
}

export const beginOf = (step: number, now: number): number => Math.floor(now / (step * 1_000)) * step * 1_000;
