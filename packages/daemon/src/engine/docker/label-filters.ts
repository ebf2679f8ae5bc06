import type { LabelFilter } from '../engine.ts';

/** Builds the `filters` parameter of lists. */
export function labelFilters(labels: LabelFilter): string {
  return JSON.stringify({ label: Object.entries(labels).map(([key, v]) => (v === true ? key : `${key}=${v}`)) });
}
