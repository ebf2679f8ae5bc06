import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { type PatroniCluster, startPatroni } from '@hortus/testkit/patroni';
import { until } from '@hortus/testkit/until';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inRequest, nameCaller } from '../request-context.ts';
import type { Storage, Tx } from '../storage.ts';
import { openPostgres } from './open.ts';

let cluster: PatroniCluster;
let storage: Storage;
beforeAll(async () => {
  cluster = await startPatroni();
  storage = await openPostgres({ url: cluster.url, connections: 4, reads: 'standby' });
}, 120_000);
afterAll(async () => {
  await storage?.close();
  await cluster?.stop();
});

const asCaller = <T>(caller: string, work: () => Promise<T>): Promise<T> =>
  inRequest(() => {
    nameCaller(caller);
    return work();
  });
const ask = async () => {
  const { rows } = await storage.reader.run('select pg_is_in_recovery() as standby, inet_server_port() as port', []);
  return rows[0] as { standby: boolean; port: number };
};
const list = () => storage.allowLag?.(ask) ?? expect.fail('lists are not read on a standby');
const onStandby = (caller: string) =>
  until(async () => (await asCaller(caller, list)).standby, { describe: 'a list to be read on a standby' });
const put = (tx: Tx, name: string) => tx.db.insertInto('settings').values({ name, value: '' }).execute();

/** Finds the process that replays on a standby. Its own view of processes is another one. */
async function replayOn(port: number): Promise<number> {
  const client = new pg.Client({ connectionString: `postgres://hortus@127.0.0.1:${port}/postgres` });
  await client.connect();
  const { rows } = await client.query('show data_directory').finally(() => client.end());
  const isReplay = (pid: string) =>
    readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('startup recovering') &&
    readlinkSync(`/proc/${pid}/cwd`) === rows[0].data_directory;
  const found = readdirSync('/proc').find((name) => {
    try {
      return /^\d+$/.test(name) && isReplay(name);
    } catch {
      return false;
    }
  });
  return Number(found ?? expect.fail('no process replays'));
}

/** Stops the standby on which lists are read from applying changes. */
async function withoutReplay(caller: string, work: () => Promise<void>): Promise<void> {
  await onStandby(caller);
  const replay = await replayOn((await asCaller(caller, list)).port);
  process.kill(replay, 'SIGSTOP');
  try {
    await work();
  } finally {
    process.kill(replay, 'SIGCONT');
  }
}

it('lists of callers are read on a standby, and everything else on the primary', async () => {
  await onStandby('one');
  expect((await asCaller('one', ask)).standby).toBe(false);
  expect((await list()).standby).toBe(false);
  const inTransaction = asCaller('one', () =>
    storage.write(async (tx) => (await tx.run('select pg_is_in_recovery() as standby', [])).rows),
  );
  expect(await inTransaction).toEqual([{ standby: false }]);
});

it('a caller that has changed something sees it in its next list', async () => {
  const names = async () => {
    const { rows } = await storage.reader.run('select name from settings', []);
    return (rows as { name: string }[]).map(({ name }) => name);
  };
  await withoutReplay('writer', async () => {
    await asCaller('writer', () => storage.write((tx) => put(tx, 'own')));
    expect(await asCaller('writer', async () => storage.allowLag?.(names))).toContain('own');
  });
  await onStandby('writer');
});

it('a standby that lags behind is not read', async () => {
  await withoutReplay('one', async () => {
    await storage.write((tx) => put(tx, 'not replayed'));
    await until(async () => !(await asCaller('one', list)).standby, { describe: 'lists to be read on the primary' });
  });
  await onStandby('one');
});

it('lists outlive the loss of the standby and of the primary', async () => {
  await onStandby('one');
  const { port } = await asCaller('one', list);
  const lost = cluster.names.find((name) => cluster.urlOf(name).includes(`:${port}/`)) as string;
  await cluster.kill(lost);
  const isElsewhere = async () => (await asCaller('one', list)).port !== port;
  await until(isElsewhere, { describe: 'lists to be read on another server' });
  cluster.start(lost);
  await cluster.whole();
  const primary = await cluster.primary();
  await cluster.kill(primary);
  await until(() => asCaller('one', list), { within: 120_000, describe: 'a list after the failover' });
  await onStandby('one');
}, 240_000);
