import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openSqlite } from '@hortus/service/storage/sqlite/open';
import { definitionRows, groundRows, insertText } from './definition-rows.ts';

/** The limit: 32 callers, the same rows, prepared statements, one fsync for all who wait. Prints transactions per second. */
const [directory = '', seconds = '4'] = process.argv.slice(2);
await (await openSqlite(directory)).close();
const db = new DatabaseSync(join(directory, 'hortus.db'));
db.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on;');
for (const row of groundRows) db.exec(row);
const inserts = Object.entries(definitionRows(0)).map(([table, row]) => db.prepare(insertText(table, row, () => '?')));
const begin = db.prepare('begin immediate');
const end = db.prepare('commit');

let waiting: { number: number; done: () => void }[] = [];
const insert = (number: number) => new Promise<void>((done) => waiting.push({ number, done }));

function commit(): void {
  const batch = waiting;
  waiting = [];
  begin.run();
  for (const { number } of batch) {
    const rows = Object.values(definitionRows(number));
    for (const [i, row] of rows.entries()) inserts[i]?.run(...Object.values(row));
  }
  end.run();
  for (const { done } of batch) done();
}

const until = performance.now() + Number(seconds) * 1000;
let written = 0;
const callers = Array.from({ length: 32 }, async () => {
  while (performance.now() < until) {
    await insert(++written);
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
