import { createDatabase, type TestDatabase } from '@hortus/testkit/database';
import { until } from '@hortus/testkit/until';
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { QuietLog } from '../testing/quiet-log.ts';
import type { Bus } from './bus.ts';
import { openPostgresBus } from './postgres-bus.ts';

let database: TestDatabase;
let admin: pg.Client;
const open: Bus[] = [];

beforeEach(async () => {
  database = await createDatabase();
  admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
});

afterEach(async () => {
  for (const bus of open.splice(0)) await bus.close();
  await admin.end();
  await database.drop();
});

async function replica(name: string) {
  const bus = await openPostgresBus({ url: database.url, replica: name, log: new QuietLog(), collectMs: 2 });
  open.push(bus);
  const heard: string[] = [];
  const state = { bus, heard, gaps: 0 };
  bus.subscribe('keys', (message) => heard.push(message));
  bus.onGap(() => void state.gaps++);
  return state;
}

const cutConnections = () =>
  admin.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'hortus bus'`,
  );

const heardBy = (one: { heard: string[] }, message: string) =>
  until(() => one.heard.includes(message), { describe: () => `${message} among ${one.heard.join()}` });

it('a message reaches the other replicas, and local listeners directly and once', async () => {
  const [a, b] = [await replica('a'), await replica('b')];
  a.bus.publish('keys', 'one');
  expect(a.heard).toEqual(['one']);
  await heardBy(b, 'one');
  b.bus.publish('keys', 'two');
  await heardBy(a, 'two');
  expect(a.heard).toEqual(['one', 'two']);
  expect(b.heard).toEqual(['one', 'two']);
});

it('equal messages within a moment are sent once', async () => {
  const [a, b] = [await replica('a'), await replica('b')];
  for (let i = 0; i < 100; i++) a.bus.publish('keys', 'same');
  a.bus.publish('keys', 'last');
  await heardBy(b, 'last');
  expect(b.heard).toEqual(['same', 'last']);
});

it('messages may contain any character, and foreign notifications are ignored', async () => {
  const [a, b] = [await replica('a'), await replica('b')];
  await admin.query(`select pg_notify('hortus', 'not ours'), pg_notify('hortus', '[1]'), pg_notify('hortus', '[]')`);
  const odd = `quote " apostrophe ' nul \u0000 snow ☃ ${'é'.repeat(900)}`;
  a.bus.publish('keys', odd);
  await heardBy(b, odd);
  expect(b.heard).toEqual([odd]);
  expect(() => a.bus.publish('keys', 'x'.repeat(8_000))).toThrow(RangeError);
});

it('a lost connection reports a gap when it breaks and when it is back, and then receives again', async () => {
  const [a, b] = [await replica('a'), await replica('b')];
  await cutConnections();
  await until(() => a.gaps >= 2 && b.gaps >= 2, { describe: () => `gaps on both: ${a.gaps}, ${b.gaps}` });
  a.bus.publish('keys', 'back');
  await heardBy(b, 'back');
});

it('messages published while the connection is down are sent after the reconnect', async () => {
  const [a, b] = [await replica('a'), await replica('b')];
  a.bus.onGap(() => a.bus.publish('keys', 'said while down'));
  await admin.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'hortus bus' order by backend_start limit 1`,
  );
  await heardBy(b, 'said while down');
  expect(b.gaps).toBe(0);
});

it('closing sends the queued messages first', async () => {
  const [a, b] = [await replica('a'), await replica('b')];
  a.bus.publish('keys', 'farewell');
  await a.bus.close();
  await heardBy(b, 'farewell');
});

it('opening fails without a database', async () => {
  const opening = openPostgresBus({ url: 'postgres://hortus@127.0.0.1:1/none', replica: 'a', log: new QuietLog() });
  await expect(opening).rejects.toThrow('ECONNREFUSED');
});
