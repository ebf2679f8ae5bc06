import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { expect, it } from 'vitest';
import { Checkpoints } from './checkpoints.ts';
import { SqliteConnection } from './connection.ts';
import { openSqlite } from './open.ts';
import { SqliteThread } from './sqlite-thread.ts';

const PAGE = 4_096;
const limits = { copied: 50, log: 200 };

/** A database whose commits each add about ten pages to the log. */
function openFilled(elsewhere?: string) {
  const folder = temporaryFolder('checkpoints');
  const file = join(folder.path, 'a.db');
  const writer = new SqliteConnection(file, { readOnly: false });
  writer.run('create table filled (text text)', []);
  const thread = new SqliteThread(elsewhere ?? file, { readOnly: false });
  const checkpoints = new Checkpoints(thread, writer, limits);
  const text = 'x'.repeat(9 * PAGE);
  const commit = () => {
    writer.run('insert into filled values (?)', [text]);
    return checkpoints.afterCommit();
  };
  const state = () => writer.run('pragma wal_checkpoint(noop)', []).rows[0] as { log: number; checkpointed: number };
  const end = async () => {
    await thread.close();
    writer.close();
    await folder.remove();
  };
  return { file, writer, commit, state, [Symbol.asyncDispose]: end };
}

it('copies pages of the log to the database while writers go on', async () => {
  await using at = openFilled();
  while (at.state().log < limits.copied) expect(at.commit()).toBeUndefined();
  await until(() => at.state().checkpointed >= limits.copied, { describe: 'pages to be copied' });
});

it('keeps the log short however much is written', async () => {
  await using at = openFilled();
  let longest = 0;
  for (let i = 0; i < 200; i++) {
    await at.commit();
    longest = Math.max(longest, at.state().log);
  }
  expect(longest).toBeLessThan(limits.log + 20);
});

it('does not wait for a long read, and starts the log over after it', async () => {
  await using at = openFilled();
  using reader = new DatabaseSync(at.file, { readOnly: true });
  at.commit();
  reader.exec('begin; select * from filled limit 1');
  for (let i = 0; i < 60; i++) await at.commit();
  expect(at.state().log).toBeGreaterThan(2 * limits.log);
  reader.exec('commit');
  const long = at.state().log;
  for (let i = 0; i < 60; i++) await at.commit();
  expect(at.state().log).toBeLessThan(long);
});

it('writers go on if the thread cannot open the database', async () => {
  await using at = openFilled('/nowhere/a.db');
  for (let i = 0; i < 60; i++) await at.commit();
  expect(at.state()).toMatchObject({ checkpointed: 0 });
});

it('commits of the storage leave the copying to the thread', async () => {
  await using folder = temporaryFolder('checkpoints');
  const storage = await openSqlite(folder.path);
  const value = 'x'.repeat(250 * PAGE);
  for (let i = 0; i < 40; i++)
    await storage.write((tx) =>
      tx.db
        .insertInto('settings')
        .values({ name: `${i}`, value })
        .execute(),
    );
  const { size } = statSync(join(folder.path, 'hortus.db-wal'));
  await storage.close();
  // All were 40 MB.
  expect(size).toBeLessThan(6_000 * PAGE);
});
