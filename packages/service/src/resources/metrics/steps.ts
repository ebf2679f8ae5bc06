import type { MetricRange } from '@hortus/contract/resources/metrics';

/** Steps of stored points, in seconds. Charts of a day or a week need no minutes. */
export const FINE = 60;
export const COARSE = 300;
export const steps = [FINE, COARSE] as const;

/** Fine points are used for the last hour only; two hours leave time for the hourly cleanup. */
export const FINE_DAYS = 2 / 24;

/**
 * Limit of reports per point. A daemon reports twice a minute; one that floods must not outweigh other points nor cause
 * writes.
 */
export const MAX_SAMPLES = 60;

export interface Span {
  /** Step of the stored points, in seconds. */
  readonly step: number;
  /** Width of a returned point, in milliseconds. */
  readonly width: number;
  readonly from: number;
  readonly to: number;
}

const windows: Readonly<Record<MetricRange, { step: number; width: number; points: number }>> = {
  '1h': { step: FINE, width: FINE * 1_000, points: 60 },
  '24h': { step: COARSE, width: COARSE * 1_000, points: 288 },
  '7d': { step: COARSE, width: 1_800_000, points: 336 },
};

/** The last point of a range contains the current time. */
export function windowOf(range: MetricRange, now: number): Span {
  const { step, width, points } = windows[range];
  const last = Math.floor(now / width) * width;
  return { step, width, from: last - (points - 1) * width, to: now };
}

export const beginOf = (step: number, now: number): number => Math.floor(now / (step * 1_000)) * step * 1_000;
