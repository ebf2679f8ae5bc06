import { createDatabase, type TestDatabase } from '@hortus/testkit/database';
import { until } from '@hortus/testkit/until';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { OutcomeUnknown, RunAgain, type Storage, StorageUnavailable, type Tx } from '../storage.ts';
import { openPostgres } from './open.ts';

let database: TestDatabase;
let storage: Storage;

beforeEach(async () => {
  database = await createDatabase();
  storage = await openPostgres({ url: database.url, connections: 4 });
});

afterEach(async () => {
  await storage.close();
  await database.drop();
});

const put = (tx: Tx, name: string) => tx.db.insertInto('settings').values({ name, value: '' }).execute();
const alive = async (pid: unknown) =>
  (await storage.reader.run('select pid from pg_stat_activity where pid = $1', [pid])).rows.length;
const names = async () => (await storage.reader.db.selectFrom('settings').select('name').execute()).map((r) => r.name);

/** Ends the connection of a transaction, as an operator or a failover does. */
async function cut(tx: Tx): Promise<void> {
  const [own] = (await tx.run('select pg_backend_pid() as pid', [])).rows as { pid: number }[];
  await storage.reader.run('select pg_terminate_backend($1)', [own?.pid]);
  // The server's last word reaches us while no query is under way.
  await until(async () => (await alive(own?.pid)) === 0, { describe: 'the end of the connection' });
}

it('a transaction that lost its connection before the commit runs again', async () => {
  let runs = 0;
  await storage.write(async (tx) => {
    await put(tx, `run ${++runs}`);
    if (runs === 1) await cut(tx);
    await put(tx, 'second');
  });
  expect(await names()).toEqual(['run 2', 'second']);
});

it('a transaction that loses every connection is refused after a limited time', async () => {
  await storage.close();
  storage = await openPostgres({ url: database.url, connections: 4, timeoutMs: 500 });
  const hopeless = storage.write(async (tx) => {
    await put(tx, 'lost');
    await cut(tx);
    await put(tx, 'lost too');
  });
  await expect(hopeless).rejects.toThrow(StorageUnavailable);
  expect(await names()).toEqual([]);
});

it('a transaction that lost its connection during the commit is not run again', async () => {
  let runs = 0;
  await storage.write((tx) =>
    tx.run(
      `create function end_connection() returns trigger language plpgsql as
       $$ begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$`,
      [],
    ),
  );
  await storage.write((tx) =>
    tx.run(
      `create constraint trigger at_commit after insert on settings deferrable initially deferred
       for each row execute function end_connection()`,
      [],
    ),
  );
  const unknown = storage.write(async (tx) => {
    runs++;
    await put(tx, 'perhaps');
  });
  await expect(unknown).rejects.toThrow(OutcomeUnknown);
  expect(runs).toBe(1);
});

it('a query after the end of its transaction is refused', async () => {
  let kept: Tx | undefined;
  await storage.write(async (tx) => {
    kept = tx;
  });
  await expect(put(kept as Tx, 'stray')).rejects.toThrow('after its transaction had ended');
  expect(await names()).toEqual([]);
});

it('a transaction with a serialization failure is retried a limited number of times', async () => {
  let runs = 0;
  await storage.write(async (tx) => {
    await put(tx, `run ${runs}`);
    if (++runs < 3) throw new RunAgain();
  });
  expect(await names()).toEqual(['run 2']);
  const hopeless = storage.write(async () => {
    throw new RunAgain('again');
  });
  await expect(hopeless).rejects.toThrow('again');
});

it('a transaction that PostgreSQL rolled back is not acknowledged', async () => {
  const swallowed = storage.write(async (tx) => {
    await put(tx, 'twice');
    await put(tx, 'twice').catch(() => {});
  });
  await expect(swallowed).rejects.toThrow('rolled the transaction back');
  expect(await names()).toEqual([]);
});

it('an unreachable database is reported', async () => {
  await expect(openPostgres({ url: 'postgres://hortus@127.0.0.1:1/none' })).rejects.toThrow('ECONNREFUSED');
});

it('prepared statements still work after a newer version has added a column to their table', async () => {
  const all = 'select * from settings';
  const inTransaction = () => storage.write(async (tx) => (await tx.run(all, [], true)).rows);
  const atOnce = () => Promise.all(Array.from({ length: 8 }, () => storage.reader.run(all, [], true)));
  await atOnce();
  await inTransaction();
  await storage.write((tx) => tx.run('alter table settings add column more text', []));
  expect(await inTransaction()).toEqual([]);
  await storage.write((tx) => put(tx, 'kept'));
  await storage.write((tx) => tx.run('alter table settings add column max text', []));
  for (const { rows } of await atOnce()) expect(rows).toEqual([{ name: 'kept', value: '', more: null, max: null }]);
});
