import { instanceHealthMachine, instanceMachine } from '@hortus/contract/machines/instance';
import type { InstanceStats } from '@hortus/contract/resources/instances';
import type { Queries } from '../../storage/storage.ts';
import { failuresByDay } from './failures.ts';
import { countByState } from './lists/store.ts';

/** Counts the instances of an account by status and health; released ones count only by status. */
export async function instanceStats(reader: Queries, accountId: string, days = 7): Promise<InstanceStats> {
  const zero = (states: readonly string[]) => Object.fromEntries(states.map((state) => [state, 0]));
  const by_status: Record<string, number> = zero(instanceMachine.states);
  const by_health: Record<string, number> = zero(instanceHealthMachine.states);
  const stats = { total: 0, running: 0, failures: 0 };
  for (const { status, health, total } of await countByState(reader, accountId)) {
    by_status[status] = (by_status[status] ?? 0) + total;
    if (status === 'released') continue;
    by_health[health] = (by_health[health] ?? 0) + total;
    stats.total += total;
    if (status === 'running') stats.running += total;
    if (status === 'failed' || status === 'lost' || health === 'unhealthy') stats.failures += total;
  }
  const failures_by_day = await failuresByDay(reader, accountId, days, Date.now());
  return { ...stats, by_status, by_health, failures_by_day };
}
