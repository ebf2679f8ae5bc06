import type { LabelFilter } from '../engine.ts';

/** The `filters` parameter of the lists. */
export function labelFilters(labels: LabelFilter): string {
  return JSON.stringify({ label: Object.entries(labels).map(([key, v]) => (v === true ? key : `${key}=${v}`)) });
}
