import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@hortus/testkit/until';
import { expect, it } from 'vitest';
import { enqueue } from '../jobs/enqueue.ts';
import { append } from '../outbox/append.ts';
import { countUntold } from '../outbox/store.ts';
import { queriesOn } from '../storage/session.ts';
import type { Queries } from '../storage/storage.ts';
import type { Tables } from '../storage/tables.ts';
import { onDifferingEngines } from '../testing/engines.ts';
import { instanceOn } from '../testing/log-daemon.ts';
import { metricsDaemonOf } from '../testing/metrics-daemon.ts';
import { startApp } from '../testing/running-service.ts';
import { gaugesOf, kept } from './gauges.ts';

const grafana = join(import.meta.dirname, '../../../../docs/grafana');

onDifferingEngines('query plans', (engine) => {
  const gauges = async (now: () => number, kinds = ['deliver', 'heal']) => {
    const storage = await engine.open({ clock: now });
    const none = () => 0;
    const all = gaugesOf({
      reader: storage.reader,
      jobKinds: kinds,
      daemons: none,
      streams: none,
      daemonStreams: none,
      clock: now,
    });
    return { storage, read: async (name: string) => await all.find((source) => source.name === name)?.read() };
  };

  it('due and late jobs are counted by kind, and those for later are not', async () => {
    let now = 1_800_000_000_000;
    const { storage, read } = await gauges(() => now);
    await storage.write(async (tx) => {
      await enqueue(tx, { kind: 'deliver', payload: {} });
      await enqueue(tx, { kind: 'deliver', payload: {}, runAt: now - 1 });
      await enqueue(tx, { kind: 'heal', payload: {}, runAt: now + 3_600_000 });
    });
    expect(await read('hortus_jobs_queued')).toEqual(
      new Map([
        ['deliver', 2],
        ['heal', 0],
      ]),
    );
    expect(await read('hortus_jobs_late')).toEqual(
      new Map([
        ['deliver', 0],
        ['heal', 0],
      ]),
    );
    now += 61_000;
    expect(await read('hortus_jobs_late')).toEqual(
      new Map([
        ['deliver', 2],
        ['heal', 0],
      ]),
    );
  });

  it('the lag of the outbox is the number of events that are not dispatched, and the age of the oldest', async () => {
    let now = 1_800_000_000_000;
    const { storage, read } = await gauges(() => now);
    expect([await read('hortus_outbox_lag_events'), await read('hortus_outbox_lag_seconds')]).toEqual([0, 0]);
    const about = { accountId: 'acc_1', resourceType: 'key', resourceId: 'key_1', actor: null, data: {} };
    const event = { type: 'audit.key.created', ...about } as const;
    await storage.write((tx) => append(tx, event));
    now += 15_000;
    await storage.write((tx) => append(tx, event));
    expect([await read('hortus_outbox_lag_events'), await read('hortus_outbox_lag_seconds')]).toEqual([2, 15]);
    expect(await countUntold(storage.reader, 1)).toEqual({ events: 1, oldestAt: now - 15_000 });
  });

  it('a scraper cannot load the database: figures are read once in ten seconds', async () => {
    let now = 1_800_000_000_000;
    const { storage, read } = await gauges(() => now);
    await read('hortus_jobs_queued');
    await storage.write((tx) => enqueue(tx, { kind: 'deliver', payload: {} }));
    now += 9_000;
    expect(await read('hortus_jobs_queued')).toEqual(
      new Map([
        ['deliver', 0],
        ['heal', 0],
      ]),
    );
    now += 2_000;
    expect(await read('hortus_jobs_queued')).toEqual(
      new Map([
        ['deliver', 1],
        ['heal', 0],
      ]),
    );
  });

  it('the queries read indexes, never whole tables', async () => {
    const { storage } = await gauges(Date.now);
    const explained: string[] = [];
    const run: Queries['run'] = async (text, parameters, reused) => {
      const plan = engine.name === 'sqlite' ? 'explain query plan ' : 'explain ';
      explained.push(JSON.stringify((await storage.reader.run(plan + text, parameters)).rows));
      return await storage.reader.run(text, parameters, reused);
    };
    // PostgreSQL scans tiny tables, whatever indexes they have.
    if (engine.name === 'postgres') await storage.reader.run('set enable_seqscan = off', []);
    const reader: Queries = { engine: engine.name, run, db: queriesOn<Tables>(engine.name, { run }) };
    const none = () => 0;
    const all = gaugesOf({ reader, jobKinds: ['deliver'], daemons: none, streams: none, daemonStreams: none });
    const gauge = all.find(({ name }) => name === 'hortus_deployments');
    expect(await gauge?.read()).toBeInstanceOf(Map);
    expect(explained.length).toBeGreaterThan(3);
    for (const plan of explained) expect(plan).not.toMatch(/SCAN (jobs|events|deployments)(?! USING)|Seq Scan/);
  });

  it('a running service exports what the dashboard and the alert rules name', async () => {
    const app = await startApp(engine);
    const { serverId } = await metricsDaemonOf(app);
    await instanceOn(app, serverId);
    const leaving = new AbortController();
    void fetch(`${app.base}/events`, {
      headers: { accept: 'text/event-stream', authorization: `Bearer ${app.key}` },
      signal: leaving.signal,
    }).catch(() => {});
    const scrape = async () => await (await fetch(new URL('/metrics', app.base))).text();
    const text = await until(
      async () => {
        const found = await scrape();
        return found.includes('hortus_streams_open 1') ? found : undefined;
      },
      { describe: 'the open stream' },
    );
    leaving.abort();
    expect(text).toContain('hortus_daemons_connected 1');
    expect(text).toContain('hortus_deployments{state="success"} 1');
    expect(text).toContain('hortus_jobs_late{kind="webhook.deliver"} 0');
    expect(text).toMatch(/hortus_database_seconds_count\{operation="write"\} [1-9]/);
    const exported = new Set([...text.matchAll(/^([a-z0-9_]+)[{ ]/gm)].map(([, name]) => name));
    const named = readdirSync(grafana).flatMap((file) => {
      // Names in expressions only: titles may have any word.
      const expressions = [...readFileSync(join(grafana, file), 'utf8').matchAll(/"?expr"?: *(.*)$/gm)].map(
        ([, text]) => text,
      );
      return expressions.flatMap((expression) => expression?.match(/\b(?:hortus|process|nodejs)_[a-z0-9_]+/g) ?? []);
    });
    expect(named.length).toBeGreaterThan(15);
    for (const name of new Set(named)) expect(exported, name).toContain(name);
  });
});

it('a failing or hanging database leaves the figures out and is not asked more often', async () => {
  let now = 0;
  let asked = 0;
  const failing = kept(
    () => {
      asked++;
      return Promise.reject(new Error('down'));
    },
    () => now,
  );
  expect([await failing(), await failing(), asked]).toEqual([undefined, undefined, 1]);
  now += 10_000;
  await failing();
  expect(asked).toBe(2);
  let finish: (value: number) => void = () => {};
  const hanging = kept(
    () => {
      asked++;
      return new Promise<number>((done) => {
        finish = done;
      });
    },
    () => now,
    { timeoutMs: 1 },
  );
  expect([await hanging(), await hanging(), asked]).toEqual([undefined, undefined, 3]);
  finish(7);
  await until(async () => (await hanging()) === 7, { describe: 'the late figure' });
  expect(asked).toBe(3);
});
