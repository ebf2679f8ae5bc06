import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { type Bench, type Figure, median } from './claim.ts';
import { definitionRows, insertText, parentRows, parents } from './definition-rows.ts';
import { startService } from './service-process.ts';

const SIZES = [1_000, 100_000, 1_000_000];
const REQUESTS = 200;
const PATHS = ['/definitions', '/definitions?status=pending', '/events'];

const LIVING = 1_000;
const ARCHIVED = 10_000;

/** Checks that the first page of a list is independent of its length and of archived definitions. */
export const lists: Bench = {
  name: 'lists',
  async run() {
    const pages = new Map(PATHS.map((path) => [path, [] as number[]]));
    for (const size of SIZES) {
      for (const [path, ms] of await pageTimes(size)) pages.get(path)?.push(ms);
    }
    return [...[...pages].map(([path, times]) => figure(path, times)), await archivedFigure()];
  },
};

function figure(path: string, [small = Number.NaN, ...larger]: number[]): Figure {
  const worst = Math.max(...larger);
  return {
    claim: `GET ${path} at 1,000,000 rows`,
    value: larger.at(-1) ?? Number.NaN,
    unit: 'ms a page',
    against: { name: 'ms at 1,000 rows', value: small },
    ratio: worst / small,
    promise: { atMost: 2 },
    note: `at 100,000 rows ${larger[0]?.toFixed(2)} ms; the ratio is that of the worst`,
  };
}

async function archivedFigure(): Promise<Figure> {
  const [without = Number.NaN] = (await pageTimes(LIVING)).map(([, ms]) => ms);
  const [beside = Number.NaN] = (await pageTimes(LIVING + ARCHIVED, ARCHIVED)).map(([, ms]) => ms);
  return {
    claim: `GET /definitions of ${LIVING} beside ${ARCHIVED} archived ones`,
    value: beside,
    unit: 'ms a page',
    against: { name: 'ms without archived ones', value: without },
    ratio: beside / without,
    promise: { atMost: 1.5 },
  };
}

/** Inserts the rows directly into the database of a service, because the API would take too long. */
async function pageTimes(size: number, archived = 0): Promise<[string, number][]> {
  const service = await startService();
  try {
    const account = (await service.client.call('account.read')).data.account.id;
    fill(join(service.folder, 'hortus.db'), account, size, archived);
    // The fill held this process: notice the connections that the service closed meanwhile before one is used again.
    await setImmediate();
    const times: [string, number][] = [];
    for (const path of PATHS) times.push([path, await pageTime(`${service.base}${path}`, service.headers)]);
    return times;
  } finally {
    await service.stop();
  }
}

/**
 * Adds definitions up to a number, after those of an earlier call. Makes the archived ones the newest, so that a list by age alone would
 * read all of them first.
 */
export function fill(file: string, account: string, size: number, archived: number, from = 0): void {
  const db = new DatabaseSync(file, { timeout: 10_000 });
  db.exec('pragma synchronous = off; pragma cache_size = -500000');
  if (from === 0) for (const row of parentRows.slice(1)) db.exec(row.replaceAll(parents.account, account));
  const template = db.prepare(`select id from templates where owner = 'catalog' limit 1`).get() as { id: string };
  const owner = { ...parents, account, template: template.id };
  const rows = (number: number) => Object.entries(definitionRows(number, owner));
  const statements = rows(0).map(([table, row]) => db.prepare(insertText(table, row, () => '?')));
  db.exec('begin');
  for (let number = from; number < size; number++)
    for (const [i, [, row]] of rows(number).entries()) statements[i]?.run(...Object.values(row));
  db.prepare(
    `update definitions set status = 'archived' where id in (select id from definitions order by id desc limit ?)`,
  ).run(archived);
  // As the service does within ten minutes.
  db.exec(`insert into definition_names (text, definition_id) select name || '\n' || instance_uid, id from definitions
      where id in (select definition_id from unindexed_names) order by id;
    delete from unindexed_names`);
  // Marked as dispatched; otherwise the service would process all of them during the measurement.
  db.exec(`update settings set value = (select max(position) from events) where name = 'events.last_seq'`);
  db.exec('commit');
  db.close();
}

async function pageTime(url: string, headers: Record<string, string>): Promise<number> {
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
