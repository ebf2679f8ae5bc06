import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { median } from '../claim.ts';
import { fill } from '../lists.ts';
import { startService } from '../service-process.ts';

const REQUESTS = 60;
const RARE = 20;

/** Reads of a console whose account grows: lists, searches for a frequent and a rare text, and counts. */
export const readsOfRows = [
  '/definitions',
  '/definitions?q=needle',
  '/instances',
  '/instances?sort=status',
  '/instances?q=bench-7',
  '/instances?q=needle',
  '/events',
  '/instances/stats',
  '/overview',
] as const;

export interface RowTimes {
  readonly rows: number;
  /** Median milliseconds of each read, in the order of `readsOfRows`. */
  readonly ms: readonly number[];
}

/** Measures reads of an account that grows to each of the sizes, with so many definitions, instances and events. */
export async function measureRows(sizes: readonly number[]): Promise<RowTimes[]> {
  const service = await startService();
  try {
    const account = (await service.client.call('account.read')).data.account.id;
    const file = join(service.folder, 'hortus.db');
    const measured: RowTimes[] = [];
    for (const [i, rows] of sizes.entries()) {
      grow(file, account, sizes[i - 1] ?? 0, rows);
      // Growing held this process: notice the connections that the service closed meanwhile before one is used again.
      await setImmediate();
      const ms: number[] = [];
      for (const path of readsOfRows) ms.push(await readTime(`${service.base}${path}`, service.headers));
      measured.push({ rows, ms });
    }
    return measured;
  } finally {
    await service.stop();
  }
}

/** Adds definitions and an instance of each; one in a hundred is unhealthy. A page of the oldest has the rare name. */
function grow(file: string, account: string, from: number, to: number): void {
  if (from === 0) fill(file, account, RARE, 0);
  const db = new DatabaseSync(file, { timeout: 10_000 });
  if (from === 0)
    db.exec(`update definitions set name = 'needle-' || substr(name, 7);
      insert into definition_names (text, definition_id) select name, id from definitions`);
  db.close();
  fill(file, account, to, 0, Math.max(from, RARE));
  addInstances(file, from);
}

function addInstances(file: string, from: number): void {
  const db = new DatabaseSync(file, { timeout: 10_000 });
  db.exec(`pragma synchronous = off; pragma cache_size = -500000;
    insert into instances (id, account_id, definition_id, server_id, container_id, container_name, status, health, revision, components,
      drift, started_at, created_at, updated_at)
    select 'ins_' || substr(id, 5), account_id, id, server_id, 'c', container_name, 'running',
      case when random() % 100 = 0 then 'unhealthy' else 'healthy' end, 1, '[]', '[]', created_at, created_at, updated_at
    from definitions where cast(substr(id, 5, 13) as integer) >= ${from}`);
  db.close();
}

async function readTime(url: string, headers: Record<string, string>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < REQUESTS; i++) {
    const startedAt = performance.now();
    const response = await fetch(url, { headers });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`${url} answered ${response.status}.`);
    times.push(performance.now() - startedAt);
  }
  return median(times.slice(REQUESTS / 4));
}
