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
  const received: string[] = [];
  const state = { bus, received, gaps: 0 };
  bus.subscribe('keys', (message) => received.push(message));
  bus.onGap(() => void state.gaps++);
  return state;
}

const cutConnections = () =>
  admin.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'hortus bus'`,
  );

const receivedBy = (item: { received: string[] }, message: string) =>
  until(() => item.received.includes(message), { describe: () => `${message} among ${item.received.join()}` });

it('a message reaches the other replicas, and local listeners directly and once', async () => {
  const [a, b] = [await replica('a'), await replica('b')];
  a.bus.publish('keys', 'one');
  expect(a.received).toEqual(['one']);
  await receivedBy(b, 'one');
  b.bus.publish('keys', 'two');
  await receivedBy(a, 'two');
  expect(a.received).toEqual(['one', 'two']);
  expect(b.received).toEqual(['one', 'two']);
});

it('equal messages within a moment are sent once', async () => {
  const [a, b] = [await replica('a'), await replica('b')];
  for (let i = 0; i < 100; i++) a.bus.publish('keys', 'same');
  a.bus.publish('keys', 'last');
  await receivedBy(b, 'last');
  expect(b.received).toEqual(['same', 'last']);
});

it('messages may contain any character, and foreign notifications are ignored', async () => {
  const [a, b] = [await replica('a'), await replica('b')];
  await admin.query(`select pg_notify('hortus', 'not ours'), pg_notify('hortus', '[1]'), pg_notify('hortus', '[]')`);
  const odd = `quote " apostrophe ' nul \u0000 snow ☃ ${'é'.repeat(900)}`;
  a.bus.publish('keys', odd);
  await receivedBy(b, odd);
  expect(b.received).toEqual([odd]);
  expect(() => a.bus.publish('keys', 'x'.repeat(8_000))).toThrow(RangeError);
});

it('a lost connection reports a gap when it breaks and when it is back, and then receives again', async () => {
  const [a, b] = [await replica('a'), await replica('b')];
  await cutConnections();
  await until(() => a.gaps >= 2 && b.gaps >= 2, { describe: () => `gaps on both: ${a.gaps}, ${b.gaps}` });
  a.bus.publish('keys', 'back');
  await receivedBy(b, 'back');
});

it('messages published while the connection is down are sent after the reconnect', async () => {
  const [a, b] = [await replica('a'), await replica('b')];
  a.bus.onGap(() => a.bus.publish('keys', 'said while down'));
  await admin.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'hortus bus' order by backend_start limit 1`,
  );
  await receivedBy(b, 'said while down');
  expect(b.gaps).toBe(0);
});

it('closing sends the queued messages first', async () => {
  const [a, b] = [await replica('a'), await replica('b')];
  a.bus.publish('keys', 'farewell');
  await a.bus.close();
  await receivedBy(b, 'farewell');
});

it('opening fails without a database', async () => {
  const opening = openPostgresBus({ url: 'postgres://hortus@127.0.0.1:1/none', replica: 'a', log: new QuietLog() });
  await expect(opening).rejects.toThrow('ECONNREFUSED');
});
