import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openSqlite } from '@hortus/service/storage/sqlite/open';
import { definitionInserts, groundRows } from './definition-rows.ts';

/** The limit: 32 callers, the same rows, prepared statements, one fsync for all who wait. Prints transactions per second. */
const [directory = '', seconds = '4'] = process.argv.slice(2);
await (await openSqlite(directory)).close();
const db = new DatabaseSync(join(directory, 'hortus.db'));
db.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on;');
for (const row of groundRows) db.exec(row);
const inserts = definitionInserts((prefix) => `'${prefix}' || ?1`).map((text) => db.prepare(text));

let waiting: { id: string; done: () => void }[] = [];
const insert = (id: string) => new Promise<void>((done) => waiting.push({ id, done }));

function commit(): void {
  const batch = waiting;
  waiting = [];
  db.exec('begin immediate');
  for (const { id } of batch) for (const statement of inserts) statement.run(id);
  db.exec('commit');
  for (const { done } of batch) done();
}

const until = performance.now() + Number(seconds) * 1000;
let written = 0;
const callers = Array.from({ length: 32 }, async () => {
  while (performance.now() < until) {
    await insert(`${process.pid}${String(written++).padStart(20, '0')}`);
  }
});
const startedAt = performance.now();
const timer = (): void => {
  if (waiting.length > 0) commit();
  if (performance.now() < until || waiting.length > 0) setImmediate(timer);
};
setImmediate(timer);
await Promise.all(callers);
console.log(`result ${written / ((performance.now() - startedAt) / 1000)}`);
