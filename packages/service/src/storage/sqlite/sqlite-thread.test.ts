import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { expect, it } from 'vitest';
import { SqliteThread } from './sqlite-thread.ts';

/** A thread on a table with a thousand numbers. */
function openThread(readOnly = true) {
  const folder = temporaryFolder('thread');
  const file = join(folder.path, 'a.db');
  const db = new DatabaseSync(file);
  db.exec(`pragma journal_mode = wal; create table numbers (n integer);
    insert into numbers with recursive counted (n) as (select 1 union all select n + 1 from counted where n < 1000)
    select n from counted`);
  const thread = new SqliteThread(file, { readOnly });
  const end = async () => {
    await thread.close();
    db.close();
    await folder.remove();
  };
  return { thread, db, [Symbol.asyncDispose]: end };
}

/** Takes a million steps. */
const SLOW = 'select count(*) as total from numbers a, numbers b where a.n + b.n < ?';

it('the event loop turns while a statement runs', async () => {
  await using at = openThread();
  let turns = 0;
  let ended = false;
  const counting = at.thread.run(SLOW, [10]).then((rows) => {
    ended = true;
    return rows;
  });
  while (!ended) {
    await new Promise((next) => setImmediate(next));
    turns++;
  }
  expect(await counting).toEqual([{ total: 36 }]);
  expect(turns).toBeGreaterThan(10);
});

it('statements see what was committed before them', async () => {
  await using at = openThread();
  for (const total of [1_001, 1_002]) {
    at.db.exec('insert into numbers values (0)');
    expect(await at.thread.run('select count(*) as total from numbers')).toEqual([{ total }]);
  }
});

it('a failed statement rejects with its reason and harms no other', async () => {
  await using at = openThread();
  const outcomes = await Promise.allSettled([
    at.thread.run('select * from nowhere'),
    at.thread.run('insert into numbers values (1)'),
    at.thread.run('select max(n) as max from numbers'),
  ]);
  expect(outcomes).toMatchObject([
    { status: 'rejected', reason: { message: expect.stringContaining('no such table') } },
    { status: 'rejected', reason: { message: expect.stringContaining('readonly') } },
    { status: 'fulfilled', value: [{ max: 1_000 }] },
  ]);
});

it('closing waits for the running statement and refuses later ones', async () => {
  await using at = openThread();
  const counting = at.thread.run(SLOW, [10]);
  await at.thread.close();
  expect(await counting).toEqual([{ total: 36 }]);
  await expect(at.thread.run('select 1')).rejects.toThrow('closed');
});
