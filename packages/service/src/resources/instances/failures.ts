import type { InstanceStats } from '@hortus/contract/resources/instances';
import type { Queries } from '../../storage/storage.ts';
import { DAY_MS, eventsByDay } from '../events/public.ts';

type Failures = InstanceStats['failures_by_day'][number];

const kinds: Readonly<Record<string, keyof Omit<Failures, 'date'>>> = {
  'deployment.failed': 'deployments',
  'action.failed': 'actions',
  'instance.unhealthy': 'unhealthy',
};

/** Counts failures for each day, today last; days without failures are included. */
export async function failuresByDay(
  queries: Queries,
  accountId: string,
  days: number,
  now: number,
): Promise<Failures[]> {
  const today = Math.floor(now / DAY_MS);
  const first = today - days + 1;
  const byDay = Array.from({ length: days }, (_, i): Failures => {
    const date = new Date((first + i) * DAY_MS).toISOString().slice(0, 10);
    return { date, deployments: 0, actions: 0, unhealthy: 0 };
  });
  for (const { type, day, total } of await eventsByDay(queries, accountId, Object.keys(kinds), first)) {
    const kind = kinds[type];
    const failures = byDay[day - first];
    if (kind && failures) failures[kind] = total;
  }
  return byDay;
}
