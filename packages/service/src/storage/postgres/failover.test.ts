import { type Postgres, startPostgres } from '@hortus/testkit/postgres';
import { severableProxy } from '@hortus/testkit/severable-proxy';
import { until } from '@hortus/testkit/until';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPostgresBus } from '../../bus/postgres-bus.ts';
import { QuietLog } from '../../testing/quiet-log.ts';
import { inRequest } from '../request-context.ts';
import { OutcomeUnknown, type Storage, StorageBusy, StorageUnavailable, type Tx } from '../storage.ts';
import { openPostgres } from './open.ts';

// Two servers of which one refuses writes, as a standby does; e2e/failover has a cluster with replication.
let postgres: Postgres;
let two: Postgres;
beforeAll(async () => {
  [postgres, two] = await Promise.all([startPostgres(), startPostgres()]);
  for (const { url } of [postgres, two]) await (await openPostgres({ url })).close();
});
afterAll(async () => {
  await Promise.all([postgres.stop(), two.stop()]);
});

const hostOf = ({ url }: Postgres) => new URL(url).host;
const url = () => `postgres://hortus@${hostOf(postgres)},${hostOf(two)}/postgres`;

async function ask(server: Postgres, ...texts: string[]): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: server.url });
  client.on('error', () => {});
  await client.connect();
  try {
    let rows: unknown[] = [];
    for (const text of texts) rows = (await client.query(text)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

/** Waits for the server, which reads its settings some time after it was told to. */
async function setReadOnly(server: Postgres, mode: 'on' | 'off'): Promise<void> {
  await ask(server, `alter system set default_transaction_read_only = ${mode}`, 'select pg_reload_conf()');
  const shown = async () => await ask(server, 'show default_transaction_read_only');
  await expect.poll(shown, { timeout: 30_000 }).toEqual([{ default_transaction_read_only: mode }]);
}
const demote = (server: Postgres) => setReadOnly(server, 'on');
const promote = (server: Postgres) => setReadOnly(server, 'off');
const put = (tx: Tx, name: string) => tx.db.insertInto('settings').values({ name, value: '' }).execute();
const portOf = async (storage: Storage) =>
  ((await storage.reader.run('select inet_server_port() as port', [])).rows as { port: number }[])[0]?.port;

it('queries, transactions and messages follow the primary', async () => {
  await demote(postgres);
  await promote(two);
  const storage = await openPostgres({ url: url(), connections: 4 });
  const bus = await openPostgresBus({ url: url(), replica: 'a', log: new QuietLog() });
  let gaps = 0;
  bus.onGap(() => gaps++);
  try {
    await storage.write((tx) => put(tx, 'on two'));
    expect(await portOf(storage)).toBe(Number(new URL(two.url).port));
    await two.kill();
    const waiting = Promise.all([storage.write((tx) => put(tx, 'on one')), storage.reader.run('select 1', [])]);
    await promote(postgres);
    await waiting;
    expect(await portOf(storage)).toBe(Number(new URL(postgres.url).port));
    await expect.poll(() => gaps, { timeout: 30_000 }).toBeGreaterThanOrEqual(2);
    // The former primary returns as a standby: its address is tried last and refused.
    await two.restart();
    await demote(two);
    await storage.write((tx) => put(tx, 'again'));
    const rows = await storage.reader.db.selectFrom('settings').select('name').orderBy('name').execute();
    expect(rows.map(({ name }) => name)).toEqual(['again', 'on one']);
  } finally {
    await bus.close();
    await storage.close();
  }
});

it('a connection to a server that became a standby is discarded', async () => {
  await promote(postgres);
  await demote(two);
  const storage = await openPostgres({ url: url(), connections: 1 });
  try {
    await storage.write((tx) => put(tx, 'before'));
    await promote(two);
    await demote(postgres);
    const mode = async () => (await storage.reader.run('show transaction_read_only', [])).rows;
    await expect.poll(mode).toEqual([{ transaction_read_only: 'on' }]);
    await storage.write((tx) => put(tx, 'after'));
    expect(await portOf(storage)).toBe(Number(new URL(two.url).port));
  } finally {
    await storage.close();
  }
});

it('without a primary queries are refused after a limited time', async () => {
  await promote(postgres);
  await demote(two);
  const storage = await openPostgres({ url: url(), connections: 4, timeoutMs: 500 });
  try {
    await demote(postgres);
    await expect(storage.write((tx) => put(tx, 'never'))).rejects.toThrow(StorageUnavailable);
    await promote(postgres);
    await storage.write((tx) => put(tx, 'in the end'));
  } finally {
    await storage.close();
  }
});

it('the queries of one request wait together no longer than one of them', async () => {
  await promote(postgres);
  await demote(two);
  const storage = await openPostgres({ url: url(), connections: 4, timeoutMs: 500 });
  try {
    await demote(postgres);
    const refused: string[] = [];
    const query = (name: string) =>
      storage
        .write((tx) => put(tx, name))
        .catch((error) => {
          expect(error).toBeInstanceOf(StorageUnavailable);
          refused.push(name);
        });
    await inRequest(async () => {
      await query('first');
      await Promise.all([inRequest(() => query('another request')), query('second')]);
    });
    expect(refused).toEqual(['first', 'second', 'another request']);
  } finally {
    await promote(postgres);
    await storage.close();
  }
});

it('while all connections are in use a query waits for its turn, and is refused as busy after a limited time', async () => {
  await promote(postgres);
  const storage = await openPostgres({ url: url(), connections: 1, timeoutMs: 500 });
  const [done, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = storage.write(async (tx) => {
    await put(tx, 'held');
    held.resolve();
    await done.promise;
  });
  try {
    await held.promise;
    await expect(storage.reader.run('select 1', [])).rejects.toThrow(StorageBusy);
    const waiting = storage.reader.run('select 2 as two', []);
    done.resolve();
    expect((await waiting).rows).toEqual([{ two: 2 }]);
  } finally {
    done.resolve();
    await holding;
    await storage.close();
  }
});

it('a server that is cut off is left for another one, and long queries are not cut', async () => {
  await promote(postgres);
  await promote(two);
  await using proxy = await severableProxy(Number(new URL(postgres.url).port));
  const storage = await openPostgres({
    url: `postgres://hortus@127.0.0.1:${proxy.port},${hostOf(two)}/postgres`,
    connections: 4,
    connectMs: 300,
  });
  try {
    expect(await portOf(storage)).toBe(Number(new URL(postgres.url).port));
    // Longer than the silence after which a connection is suspect.
    await storage.reader.run('select pg_sleep(6)', []);
    const cut = storage.write(async (tx) => {
      await put(tx, 'moved');
      proxy.cut();
    });
    // Its commit was sent, or not.
    await cut.catch((error) => expect(error).toBeInstanceOf(OutcomeUnknown));
    await storage.write((tx) => put(tx, 'elsewhere'));
    expect(await portOf(storage)).toBe(Number(new URL(two.url).port));
  } finally {
    proxy.mend();
    await storage.close();
  }
});

it('opening names the servers and their state, without the password', async () => {
  await demote(postgres);
  await demote(two);
  const opening = openPostgres({ url: url().replace('hortus@', 'hortus:hunter2@'), timeoutMs: 3_000 });
  const failure = await opening.then(
    () => undefined,
    (error: Error) => error,
  );
  expect(failure).toBeInstanceOf(StorageUnavailable);
  expect(String(failure?.cause)).toMatch(/accepts writes: .*standby/);
  expect(`${failure} ${failure?.cause}`).not.toContain('hunter2');
});

it('a lock that is not released is waited for only for a limited time', async () => {
  await promote(postgres);
  const storage = await openPostgres({ url: postgres.url, connections: 4, stuckMs: 300 });
  const [done, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = storage.write(async (tx) => {
    await put(tx, 'locked');
    held.resolve();
    await done.promise;
  });
  try {
    await held.promise;
    await expect(storage.write((tx) => put(tx, 'locked'))).rejects.toThrow(StorageBusy);
  } finally {
    done.resolve();
    await holding;
    await storage.close();
  }
});

// A primary whose manager has died: the former synchronous standby was promoted, so no commit of it is confirmed any more.
it('a server that accepts writes and does not confirm them is left for another one', async () => {
  await using former = await startPostgres();
  await promote(two);
  const bothUrl = `postgres://hortus@${hostOf(former)},${hostOf(two)}/postgres`;
  const storage = await openPostgres({ url: bothUrl, connections: 2, stuckMs: 500 });
  const bus = await openPostgresBus({ url: bothUrl, replica: 'a', log: new QuietLog(), probeMs: 100 });
  let gaps = 0;
  bus.onGap(() => gaps++);
  const formerPort = Number(new URL(former.url).port);
  const [acknowledged, unknown]: [string[], string[]] = [[], []];
  const write = async (name: string) => {
    try {
      await storage.write((tx) => put(tx, name));
      acknowledged.push(name);
    } catch (error) {
      expect(error).toBeInstanceOf(OutcomeUnknown);
      unknown.push(name);
    }
  };
  const namesOn = async (server: Postgres) => {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    const { rows } = await client.query('select name from settings').finally(() => client.end());
    return rows.map(({ name }) => name);
  };
  try {
    expect(await portOf(storage)).toBe(formerPort);
    await ask(former, `alter system set synchronous_standby_names = 'promoted'`, 'select pg_reload_conf()');
    // The server reads its settings a moment later, and confirms commits until then.
    let turn = 0;
    await until(
      async () => {
        const names = Array.from({ length: 8 }, (_, number) => `unconfirmed ${turn}-${number}`);
        turn++;
        await Promise.all(names.map(write));
        return unknown.length > 0;
      },
      { describe: 'a commit without confirmation' },
    );
    acknowledged.length = 0;
    await write('confirmed');
    expect(await portOf(storage)).toBe(Number(new URL(two.url).port));
    expect(acknowledged).toEqual(['confirmed']);
    expect(await namesOn(two)).toContain('confirmed');
    await until(() => gaps >= 2, { describe: 'the messages to follow' });
  } finally {
    await bus.close();
    await storage.close();
  }
});
