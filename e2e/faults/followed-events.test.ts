import { createClient } from '@hortus/client/client';
import { createDatabase } from '@hortus/testkit/database';
import { type Postgres, startPostgres } from '@hortus/testkit/postgres';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { newAdminKey, type ServiceOptions, type ServiceProcess, startService } from '../service-process.ts';

let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres({ fsync: true });
});
afterAll(() => postgres.stop());

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** Starts a replica that can be killed and started again at the same address. */
async function killable(options: Omit<ServiceOptions, 'directory'>) {
  const folder = temporaryFolder('followed');
  undo.push(() => folder.remove());
  const start = async (port?: number) => {
    const started = await startService({ directory: folder.path, ...options, ...(port !== undefined && { port }) });
    undo.push(() => started.process.stop());
    return started;
  };
  let service = await start();
  return {
    get service(): ServiceProcess {
      return service;
    },
    async killAndRestart() {
      await service.process.kill();
      service = await start(Number(new URL(service.root).port));
    },
  };
}

async function oneProcess(key: string) {
  const only = await killable({ key });
  return { written: only, followed: only };
}

async function twoReplicas(key: string) {
  const database = await createDatabase(postgres.url);
  undo.push(() => database.drop());
  const env = { HORTUS_DATABASE_URL: database.url, HORTUS_MASTER_KEY: Buffer.alloc(32, 5).toString('base64') };
  const written = await killable({ key, env });
  return { written, followed: await killable({ key, env }) };
}

test.each([
  ['one process on SQLite', oneProcess],
  ['a replica on PostgreSQL, of what another replica commits,', twoReplicas],
])('a follower of %s gets each event once and in order although its service is killed', async (_, start) => {
  const key = newAdminKey();
  const { written, followed } = await start(key);
  const leaving = new AbortController();
  const slow = createClient({ baseUrl: followed.service.base, key, retries: { baseMs: 20, maxMs: 200 } });
  const seen: number[] = [];
  const following = (async () => {
    const stream = slow.stream('events.list', { query: { after: 0 }, signal: leaving.signal });
    for await (const { id, event } of stream) if (event === 'change') seen.push(Number(id));
  })();
  following.catch(() => {});

  let writing = true;
  const writer = (async () => {
    for (let n = 0; writing; n++) {
      const body = { name: `server-${n}`, environment: 'production' } as const;
      await written.service.client.call('servers.register', { body }).catch(() => {});
    }
  })();
  for (let kills = 0; kills < 3; kills++) {
    const before = seen.length;
    await until(() => seen.length > before + 20, { describe: 'events before the kill' });
    await followed.killAndRestart();
  }
  const before = seen.length;
  await until(() => seen.length > before + 20, { describe: 'events after the last kill' });
  writing = false;
  await writer;

  const all = async () => {
    const list: number[] = [];
    for (;;) {
      const after = list.at(-1) ?? 0;
      const { data } = await written.service.client.call('events.list', { query: { after, per_page: 100 } });
      if (data.length === 0) return list;
      list.push(...data.map(({ seq }) => seq));
    }
  };
  await until(async () => seen.at(-1) === (await all()).at(-1), { describe: 'the last event' });
  expect(seen).toEqual(await all());
  leaving.abort();
  await following.catch(() => {});
});
