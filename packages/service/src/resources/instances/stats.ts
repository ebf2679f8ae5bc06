import { instanceHealthMachine, instanceMachine } from '@hortus/contract/machines/instance';
import type { InstanceStats } from '@hortus/contract/resources/instances';
import { EXACT_UP_TO } from '../../storage/page.ts';
import { RecentValues } from '../../storage/recent-values.ts';
import { inBackground, type Queries } from '../../storage/storage.ts';
import { failuresByDay } from './failures.ts';
import { countByState, countInstances } from './lists/store.ts';

/** Statistics of accounts. Those of more than 10,000 instances may be 10 seconds old, like the totals of long lists. */
export class Statistics {
  readonly #reader: Queries;
  readonly #recent: RecentValues<InstanceStats>;

  constructor(reader: Queries, clock: () => number = Date.now) {
    this.#reader = reader;
    this.#recent = new RecentValues(clock);
  }

  async read(accountId: string, days?: number): Promise<InstanceStats> {
    const key = `${accountId} ${days}`;
    const isLarge = this.#recent.has(key) || (await countInstances(this.#reader, accountId, LARGE)) === LARGE;
    if (!isLarge) return await instanceStats(this.#reader, accountId, days);
    return await this.#recent.get(
      key,
      () => instanceStats(inBackground(this.#reader), accountId, days),
      isWorthKeeping,
    );
  }
}

const LARGE = EXACT_UP_TO + 1;

const isWorthKeeping = ({ by_status }: InstanceStats): boolean =>
  Object.values(by_status).reduce((sum, total) => sum + total, 0) >= LARGE;

/** Counts the instances of an account by status and health; released ones count only by status. */
async function instanceStats(reader: Queries, accountId: string, days = 7): Promise<InstanceStats> {
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
