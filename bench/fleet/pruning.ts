import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { until } from '@hortus/testkit/until';
import { startProbe } from '../probe.ts';
import { startService } from '../service-process.ts';

export interface Pruning {
  /** Expired events, and as many expired points of metrics. */
  readonly rows: number;
  readonly seconds: number;
  /** Latency of other writes meanwhile. */
  readonly writes: { readonly p50: number; readonly p99: number; readonly worst: number };
}

const OLD = Date.now() - 365 * 86_400_000;

/** Measures how long other writes wait while retention removes expired events and metrics. */
export async function measurePruning(rows: number): Promise<Pruning> {
  const first = await startService();
  const account = (await first.client.call('account.read')).data.account.id;
  const { id } = (await first.client.call('servers.register', { body: { name: 'probe', environment: 'production' } }))
    .data;
  expire(first.folder, account, rows);
  await first.kill();
  const service = await startService({ again: first });
  try {
    const begun = performance.now();
    let number = 0;
    const body = () => JSON.stringify({ description: `round ${++number}` });
    const headers = { ...service.headers, 'content-type': 'application/json' };
    const probe = startProbe(`${service.base}/servers/${id}`, headers, 10, () => ({ method: 'PUT', body: body() }));
    await until(() => expiredIn(service.folder) === 0, {
      within: 900_000,
      every: 200,
      describe: 'all expired rows to go',
    });
    const seconds = (performance.now() - begun) / 1_000;
    return { rows, seconds, writes: await probe.stop() };
  } finally {
    await service.stop();
    await first.stop();
  }
}

/** Inserts expired rows directly into the database, and makes the retention job due. */
function expire(folder: string, account: string, rows: number): void {
  const db = new DatabaseSync(join(folder, 'hortus.db'), { timeout: 10_000 });
  const numbers = `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${rows})`;
  db.exec(`pragma synchronous = off; pragma foreign_keys = off; begin;
    insert into events (id, type, account_id, resource_type, resource_id, actor, data, created_at)
      ${numbers} select 'evt_' || printf('%026d', n), 'instance.unhealthy', '${account}', 'instance', 'ins_' || (n % 10000), null,
      '{"instance_id":"x","status":"running","health":"unhealthy"}', ${OLD} + n from numbers;
    insert into usage_points (instance_id, component, step, at, samples, cpu_sum, cpu_max, memory_sum, memory_max, received_sum,
      sent_sum)
      ${numbers} select 'ins_' || (n % 1000), 'app', 300, ${OLD} + (n / 1000) * 300000, 10, 1, 1, 1, 1, 1, 1 from numbers;
    update settings set value = (select max(position) from events) where name = 'events.last_seq';
    update jobs set run_at = 0 where kind = 'retention.sweep';
    commit`);
  db.close();
}

function expiredIn(folder: string): number {
  const db = new DatabaseSync(join(folder, 'hortus.db'), { readOnly: true, timeout: 10_000 });
  try {
    const prune = (table: string, time: string) =>
      (
        db.prepare(`select count(*) as n from (select 1 from ${table} where ${time} < ? limit 1)`).get(OLD + 1e10) as {
          n: number;
        }
      ).n;
    return prune('events', 'created_at') + prune('usage_points', 'step = 300 and at');
  } finally {
    db.close();
  }
}
