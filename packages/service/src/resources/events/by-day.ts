import type { Queries } from '../../storage/storage.ts';
import { countByDay } from './store.ts';

export const DAY_MS = 86_400_000;

export interface DayCount {
  readonly type: string;
  /** Days since 1970-01-01 (UTC). */
  readonly day: number;
  readonly total: number;
}

/** Counts events of these types per day, from `firstDay` on. */
export const eventsByDay = (
  queries: Queries,
  accountId: string,
  types: readonly string[],
  firstDay: number,
): Promise<DayCount[]> => countByDay(queries, { accountId, types, since: firstDay * DAY_MS, dayMs: DAY_MS });
