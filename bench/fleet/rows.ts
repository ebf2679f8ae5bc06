import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { median } from '../claim.ts';
import { fill } from '../lists.ts';
import { startService } from '../service-process.ts';

const REQUESTS = 60;

/** Reads of a console whose account grows: lists, search and counts. */
export const readsOfRows = [
  '/definitions',
  '/instances',
  '/instances?sort=status',
  '/instances?q=bench-77',
  '/events',
  '/instances/stats',
  '/overview',
] as const;

export interface RowTimes {
  readonly rows: number;
  /** Median milliseconds of each read, in the order of `readsOfRows`. */
  readonly ms: readonly number[];
}

/** Measures reads of an account with so many definitions, instances and events each. */
export async function measureRows(rows: number): Promise<RowTimes> {
  const service = await startService();
  try {
    const account = (await service.client.call('account.read')).data.account.id;
    const file = join(service.folder, 'hortus.db');
    fill(file, account, rows, 0);
    addInstances(file);
    // The fill held this process: notice the connections that the service closed meanwhile before one is used again.
    await setImmediate();
    const ms: number[] = [];
    for (const path of readsOfRows) ms.push(await readTime(`${service.base}${path}`, service.headers));
    return { rows, ms };
  } finally {
    await service.stop();
  }
}

/** Adds an instance to each definition; one in a hundred is unhealthy. */
function addInstances(file: string): void {
  const db = new DatabaseSync(file, { timeout: 10_000 });
  db.exec(`pragma synchronous = off;
    insert into instances (id, account_id, definition_id, server_id, container_id, container_name, status, health, revision, components,
      drift, started_at, created_at, updated_at)
    select 'ins_' || substr(id, 5), account_id, id, server_id, 'c', container_name, 'running',
      case when random() % 100 = 0 then 'unhealthy' else 'healthy' end, 1, '[]', '[]', created_at, created_at, updated_at
    from definitions`);
  db.close();
}

async function readTime(url: string, headers: Record<string, string>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < REQUESTS; i++) {
    const startedAt = performance.now();
    const answer = await fetch(url, { headers });
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}.`);
    times.push(performance.now() - startedAt);
  }
  return median(times.slice(REQUESTS / 4));
}
