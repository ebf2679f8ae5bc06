import type { ReportedUsage } from '@hortus/contract/resources/metrics';
import { expect, it } from 'vitest';
import { defaultRetention } from '../../retention/periods.ts';
import { onBothEngines } from '../../testing/engines.ts';
import { retentionRules } from '../../wiring/retention-rules.ts';
import { idsByUid } from '../instances/by-uid.ts';
import { daemonOf, keyOf, openInstanceServices } from '../instances/testing/instance-services.ts';
import { removeUsage } from './retention.ts';
import { Metrics } from './service.ts';
import { MAX_SAMPLES } from './steps.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

onBothEngines((engine) => {
  async function setUp() {
    const services = await openInstanceServices(engine);
    const { storage, instances, serverId, clock } = services;
    const metrics = new Metrics({
      reader: storage.reader,
      requireInstance: (principal, id) => instances.find(storage.reader, principal, id),
      idsByUid,
      clock: () => clock.now,
    });
    const instance = await services.running();
    const usage = (over: Partial<ReportedUsage> = {}): ReportedUsage => ({
      instance_uid: instance.containerName,
      component: 'app',
      cpu_percent: 10,
      memory_bytes: 1_000,
      received_bytes_per_second: 5,
      sent_bytes_per_second: 7,
      read_bytes_per_second: 4,
      written_bytes_per_second: 2,
      ...over,
    });
    const report = (reported: ReportedUsage[], on = serverId) =>
      storage.write((tx) => metrics.record(tx, on, reported));
    const read = (query: Parameters<Metrics['ofInstance']>[2] = {}) =>
      metrics.ofInstance(services.principal, instance.id, query);
    const rows = () => storage.reader.db.selectFrom('usage_points').selectAll().execute();
    return { ...services, metrics, instance, usage, report, read, rows };
  }

  it('an instance has no points before the first report', async () => {
    const { read, instance, clock } = await setUp();
    expect(await read()).toEqual({
      instance_id: instance.id,
      range: '1h',
      from: new Date(clock.now - 59 * 60 * SECOND).toISOString(),
      to: new Date(clock.now).toISOString(),
      step_seconds: 60,
      components: [],
      latest: null,
      points: [],
    });
  });

  it('the reports of a minute are averaged, and the maximum is kept', async () => {
    const { read, report, usage, clock } = await setUp();
    const at = new Date(clock.now).toISOString();
    await report([usage({ cpu_percent: 10, memory_bytes: 1_000 })]);
    clock.now += 30 * SECOND;
    const more = { sent_bytes_per_second: 21, written_bytes_per_second: 8 };
    await report([usage({ cpu_percent: 250.5, memory_bytes: 3_000, ...more })]);
    clock.now += 30 * SECOND;
    await report([usage({ cpu_percent: 1 })]);
    const { points } = await read();
    expect(points).toHaveLength(2);
    expect(points[0]).toEqual({
      at,
      cpu_percent: 130.25,
      cpu_percent_max: 250.5,
      memory_bytes: 2_000,
      memory_bytes_max: 3_000,
      received_bytes_per_second: 5,
      sent_bytes_per_second: 14,
      read_bytes_per_second: 4,
      written_bytes_per_second: 5,
    });
    expect(points[1]).toMatchObject({ cpu_percent: 1, cpu_percent_max: 1 });
  });

  it('usage is summed over the components, or returned for one of them', async () => {
    const { read, report, usage } = await setUp();
    await report([usage(), usage({ component: 'db', cpu_percent: 30, memory_bytes: 500 })]);
    expect(await read()).toMatchObject({
      components: ['app', 'db'],
      points: [{ cpu_percent: 40, memory_bytes: 1_500, received_bytes_per_second: 10 }],
    });
    expect(await read({ component: 'db' })).toMatchObject({
      components: ['app', 'db'],
      points: [{ cpu_percent: 30, memory_bytes: 500 }],
    });
    expect((await read({ component: 'moss' })).points).toEqual([]);
  });

  it('a week of reports twice a minute is returned with few points', async () => {
    const { storage, read, instance, clock } = await setUp();
    // As reports would have left it; a week of them takes too long.
    const step = 300;
    const begin = (at: number) => Math.floor(at / (step * SECOND)) * step * SECOND;
    const points = Array.from({ length: 2016 }, (_, number) => ({
      instance_id: instance.id,
      component: 'app',
      step,
      at: begin(clock.now) - number * step * SECOND,
      samples: 10,
      cpu_sum: 100,
      cpu_max: number,
      memory_sum: 10_000,
      memory_max: 2_000,
      received_sum: 0,
      sent_sum: 0,
      read_sum: 0,
      written_sum: 0,
    }));
    await storage.write(async (tx) => {
      for (const some of [points.slice(0, 1_000), points.slice(1_000)])
        await tx.db.insertInto('usage_points').values(some).execute();
    });
    const week = await read({ range: '7d' });
    expect(week.step_seconds).toBe(1_800);
    expect(week.points.length).toBeLessThanOrEqual(336);
    expect(week.points.length).toBeGreaterThan(330);
    expect(week.points.every(({ cpu_percent, memory_bytes }) => cpu_percent === 10 && memory_bytes === 1_000)).toBe(
      true,
    );
    const day = await read({ range: '24h' });
    expect(day).toMatchObject({ step_seconds: 300, points: { length: 288 } });
    expect(day.points.map(({ at }) => at)).toEqual(day.points.map(({ at }) => at).toSorted());
    // All are of one instance, and still no more are removed in a transaction than asked for.
    const remove = () => storage.write((tx) => removeUsage(tx, clock.now - 24 * 3_600 * SECOND, 1_500));
    expect([await remove(), await remove(), await remove()]).toEqual([1_500, 2016 - 289 - 1_500, 0]);
    expect(await read({ range: '24h' })).toEqual(day);
  });

  it('a daemon can report only instances of its server', async () => {
    const { report, usage, addServer, running, rows, instance } = await setUp();
    const other = await addServer();
    const elsewhere = await running(other);
    await report([usage({ instance_uid: elsewhere.containerName }), usage({ instance_uid: 'unknown' })]);
    await report([usage()], other);
    expect(await rows()).toEqual([]);
    await report([]);
    expect(await rows()).toEqual([]);
    await report([usage({ cpu_percent: 1 }), usage({ cpu_percent: 2 })]);
    expect(await rows()).toMatchObject([
      { instance_id: instance.id, samples: 1, cpu_sum: 2 },
      { instance_id: instance.id, samples: 1, cpu_sum: 2 },
    ]);
  });

  it('a daemon that reports too often, too much, or ever new names is limited', async () => {
    const { report, usage, rows, read, clock } = await setUp();
    for (let number = 0; number < MAX_SAMPLES + 5; number++) await report([usage({ cpu_percent: number })]);
    expect((await read()).points).toMatchObject([{ cpu_percent_max: MAX_SAMPLES - 1 }]);
    clock.now += 300 * SECOND;
    await report(Array.from({ length: 3_000 }, (_, number) => usage({ component: `a${number}` })));
    await report(Array.from({ length: 900 }, (_, number) => usage({ component: `b${number}` })));
    expect((await read()).components).toHaveLength(33);
    expect(await rows()).toHaveLength(2 * 33);
  });

  it('usage is visible to callers that may read the instance', async () => {
    const { metrics, instance, principal, addServer, daemon } = await setUp();
    const { accountId } = principal;
    await metrics.ofInstance(daemon, instance.id, {});
    for (const outsider of [keyOf('acc_other'), daemonOf(accountId, await addServer())])
      await expect(metrics.ofInstance(outsider, instance.id, {})).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('points per minute are kept for two hours, the rest for the configured days', async () => {
    const { storage, report, usage, rows, clock } = await setUp();
    const sweep = async () => {
      for (const { name, days, remove } of retentionRules(defaultRetention)) {
        if (!name.endsWith('usage')) continue;
        const before = clock.now - (days ?? 0) * DAY;
        while ((await storage.write((tx) => remove(tx, before, 10))) > 0);
      }
      return (await rows()).map(({ step }) => step).toSorted();
    };
    await report([usage()]);
    clock.now += 2 * HOUR;
    expect(await sweep()).toEqual([300, 60]);
    clock.now += 60 * SECOND;
    expect(await sweep()).toEqual([300]);
    clock.now += 7 * DAY;
    expect(await sweep()).toEqual([]);
  });
});
