import { until } from '@hortus/testkit/until';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectNothingLost, startWriters } from './counts.ts';
import { directly, openReplicas, READS_STANDBY, type Replicas } from './replicas.ts';

const ROUNDS = process.env.HORTUS_TEST_LONG ? 10 : 1;

let replicas: Replicas;
beforeAll(async () => {
  replicas = await openReplicas();
}, 300_000);
afterAll(() => replicas?.[Symbol.asyncDispose]());

/** Asks one server of the database itself. */
async function ask(name: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: replicas.cluster.urlOf(name) });
  await client.connect();
  return (await client.query(text).finally(() => client.end())).rows;
}

/** Writes through Caddy before, during and after a fault, and compares at the end. `cause` calls `now` once it has happened. */
async function under(
  fault: string,
  cause: (now: () => void) => Promise<void>,
  heal: () => Promise<void>,
): Promise<void> {
  for (let round = 1; round <= ROUNDS; round++) {
    await replicas.balanced();
    const writers = startWriters(replicas, `${fault.replaceAll(' ', '-')}-${round}`);
    await until(() => writers.acknowledged.length > 20, { describe: 'writes before the fault' });
    await cause(() => writers.fault());
    await until(() => writers.recovered, { within: 120_000, describe: 'a success after the fault' });
    const seen = writers.acknowledged.length;
    await until(() => writers.acknowledged.length > seen + 20, { within: 120_000, describe: 'writes after the fault' });
    await heal();
    expectNothingLost(ROUNDS === 1 ? fault : `${fault}, round ${round}`, await writers.stop());
  }
}

test('kill -9 of the primary loses and doubles nothing', { timeout: ROUNDS * 300_000 }, async () => {
  let killed = '';
  await under(
    'kill of the primary',
    async (now) => {
      killed = await replicas.cluster.primary();
      await replicas.cluster.kill(killed);
      now();
    },
    async () => {
      replicas.cluster.start(killed);
      await replicas.cluster.whole();
    },
  );
});

// Each round waits for the commits that the former primary never confirms.
if (ROUNDS > 1)
  test('a primary whose Patroni hangs is left for its successor, and nothing is lost or doubled', {
    timeout: ROUNDS * 300_000,
  }, async () => {
    let former = '';
    const follows = async (name: string) => (await ask(name, 'select pg_is_in_recovery() as follows'))[0]?.follows;
    await under(
      'Patroni of the primary hangs',
      async (now) => {
        former = await replicas.cluster.primary();
        replicas.cluster.suspend(former);
        const isReplaced = async () => {
          const next = await replicas.cluster.primary();
          return next !== former && (await follows(next)) === false;
        };
        await until(isReplaced, { describe: 'another primary' });
        now();
      },
      async () => {
        // As a watchdog does: a Patroni that continues takes the lease back, and its successor becomes a copy of it.
        await replicas.cluster.kill(former);
        replicas.cluster.start(former);
        await replicas.cluster.whole();
      },
    );
  });

test('kill -9 of one replica loses and doubles nothing', { timeout: ROUNDS * 300_000 }, async () => {
  await under(
    'kill of one replica',
    async (now) => {
      await replicas.kill(0);
      now();
    },
    () => replicas.restart(0),
  );
});

test('kill -9 of two replicas loses and doubles nothing', { timeout: ROUNDS * 300_000 }, async () => {
  await under(
    'kill of two replicas',
    async (now) => {
      await Promise.all([replicas.kill(0), replicas.kill(1)]);
      now();
    },
    async () => {
      await Promise.all([replicas.restart(0), replicas.restart(1)]);
    },
  );
});

test('a replica that is cut off from the database refuses requests, and the others take over', {
  timeout: ROUNDS * 300_000,
}, async () => {
  await under(
    'cut between a replica and the database',
    async (now) => {
      replicas.cut();
      now();
      const { base, key } = replicas.services[2] ?? { base: '', key: '' };
      const refused = await fetch(`${base}/servers`, { headers: { authorization: `Bearer ${key}` } });
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([500, '5']);
      expect((await fetch(base.replace('/api/v1', '/ready'))).status).toBe(500);
    },
    async () => {
      replicas.mend();
      await until(() => directly(replicas, 2).call('servers.list'), {
        within: 60_000,
        describe: 'the replica to reach the database again',
      });
    },
  );
});

test('a replica with that setting reads lists on a standby', async () => {
  const { cluster } = replicas;
  await cluster.whole();
  const primary = await cluster.primary();
  const standbys = cluster.names.filter((name) => name !== primary);
  const text = `select 1 from pg_stat_activity where query like '%from "tenants"%' and pid <> pg_backend_pid()`;
  const isAsked = async (name: string) => (await ask(name, text)).length > 0;
  const list = async () => {
    await directly(replicas, READS_STANDBY).call('tenants.list');
    return (await Promise.all(standbys.map(isAsked))).some(Boolean);
  };
  await until(list, { describe: 'a list to be read on a standby' });
});
