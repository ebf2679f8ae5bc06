import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openSqlite } from '@hortus/service/storage/sqlite/open';
import { definitionRows, insertText, parentRows } from './definition-rows.ts';

/** Writes the rows of a definition with prepared statements; one fsync for all writers of an event loop turn. */
export async function openLoop(directory: string): Promise<(number: number) => Promise<void>> {
  await (await openSqlite(directory)).close();
  const db = new DatabaseSync(join(directory, 'hortus.db'));
  db.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on;');
  for (const row of parentRows) db.exec(row);
  const inserts = Object.entries(definitionRows(0)).map(([table, row]) =>
    db.prepare(insertText(table, row, () => '?')),
  );
  const begin = db.prepare('begin immediate');
  const end = db.prepare('commit');

  let waiting: { number: number; done: () => void }[] = [];
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
  return (number) =>
    new Promise<void>((done) => {
      if (waiting.length === 0) setImmediate(commit);
      waiting.push({ number, done });
    });
}
