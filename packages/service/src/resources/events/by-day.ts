import type { Queries } from '../../storage/storage.ts';
import { countByDay } from './store.ts';

export const DAY_MS = 86_400_000;

export interface DayCount {
  readonly type: string;
  /** Days since 1970. */
  readonly day: number;
  readonly total: number;
}

/** For charts: how often events of these names were fired, day by day from the first one on. */
export const eventsByDay = (
  queries: Queries,
  accountId: string,
  types: readonly string[],
  firstDay: number,
): Promise<DayCount[]> => countByDay(queries, { accountId, types, since: firstDay * DAY_MS, dayMs: DAY_MS });
