import { openLog } from '@hortus/logging/log';
import { until } from '@hortus/testkit/until';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Service } from '../link/service.ts';
import { component } from '../plan/testing/manifests.ts';
import { image, TestServer } from '../rollout/testing/server.ts';
import { FakeService } from '../testing/fake-service.ts';
import { CapacityMeter } from './capacity.ts';
import { MetricsReporter } from './reporter.ts';
import { UsageMeter } from './usage-meter.ts';

let server: TestServer;
let uid: string;
const log = openLog({ level: 'error' });
const meterOf = (engine: ConstructorParameters<typeof UsageMeter>[0]['engine']) =>
  new UsageMeter({ engine, serverId: () => server.id, log });

beforeAll(async () => {
  server = await TestServer.open();
  uid = server.newUid();
  const overrides = { image, init: true, stop_grace_period_ms: 0 };
  const result = await server.deploy(uid, [
    component('web', { ...overrides, command: ['httpd', '-f', '-p', '80', '-h', '/bin'] }),
    component('busy', {
      ...overrides,
      command: ['sh', '-c', 'while :; do wget -q -O /dev/null http://alias-web/busybox; done'],
      resources: { memory_bytes: 64 * 2 ** 20 },
    }),
    component('idle', { ...overrides, command: ['sleep', '1000'], network: 'host' }),
  ]);
  expect(result).toMatchObject({ status: 'success' });
});
afterAll(() => server.close());

it('usage is reported per component between two passes, and nothing after the first', async () => {
  const meter = meterOf(server.engine);
  expect(await meter.read()).toEqual([]);
  const usage = await until(
    async () => {
      const seen = Object.fromEntries((await meter.read()).map((item) => [item.component, item]));
      const { busy, web, idle } = seen;
      // Two passes may lie so close together that one of the two got no processor between them.
      const works = busy && busy.cpu_percent > 1 && busy.received_bytes_per_second > 100_000;
      return works && web && web.sent_bytes_per_second > 100_000 && idle ? { busy, web, idle } : undefined;
    },
    { describe: 'a component that computes and receives, and one that sends', every: 300 },
  );
  const { busy, web, idle } = usage;
  expect(busy.instance_uid).toBe(uid);
  expect(busy.cpu_percent).toBeLessThan(1_000);
  expect(busy.memory_bytes).toBeGreaterThan(10_000);
  expect(busy.memory_bytes).toBeLessThan(64 * 2 ** 20);
  // Neighbours on a network exchange packets now and then.
  expect(idle.received_bytes_per_second).toBeLessThan(busy.received_bytes_per_second / 10);
  expect(idle.sent_bytes_per_second).toBeLessThan(web.sent_bytes_per_second / 10);
  expect(idle.cpu_percent).toBeLessThan(busy.cpu_percent);
});

it('the usage of a component is the sum of its containers, even after a restart', async () => {
  const name = server.newUid();
  const web = component('main', {
    image,
    command: ['sleep', '1000'],
    init: true,
    replicas: 2,
    stop_grace_period_ms: 0,
  });
  expect(await server.deploy(name, [web])).toMatchObject({ status: 'success' });
  const meter = meterOf(server.engine);
  const read = async () => (await meter.read()).filter(({ instance_uid }) => instance_uid === name);
  await read();
  expect(await read()).toMatchObject([{ component: 'main' }]);
  for (const { id } of await server.engine.containers({ labels: { 'hortus.instance': name } })) {
    await server.engine.stop(id, 0);
    await server.engine.start(id);
  }
  const [again] = await read();
  expect(again?.cpu_percent).toBeGreaterThanOrEqual(0);
  expect(again?.received_bytes_per_second).toBeGreaterThanOrEqual(0);
});

it('usage is part of the capacity report, which is sent even while the engine is unreachable', async () => {
  const service = await FakeService.listen();
  const reports = () => service.callsTo('PUT', `/server-capacity/${server.id}`).map(({ body }) => body);
  const start = (engine: ConstructorParameters<typeof UsageMeter>[0]['engine']) => {
    const reporter = new MetricsReporter({
      service: new Service(service.url, 'hs_test_1'),
      log,
      capacity: new CapacityMeter('/'),
      usage: meterOf(engine),
      fingerprint: async () => undefined,
      networks: async () => ({ pool: ['10.0.0.0/16'], total: 4_096, used: 1, free: 4_095 }),
      serverId: () => server.id,
      leads: () => true,
      everyMs: 100,
    });
    reporter.start();
    return reporter;
  };
  let reporter = start(server.engine);
  try {
    const full = await until(() => reports().find(({ usage }) => (usage as unknown[]).length >= 3), {
      describe: 'a report with usage',
    });
    expect(full).toMatchObject({ memory: { used: expect.any(Number) }, disk: { free: expect.any(Number) } });
    expect(full.usage).toContainEqual(expect.objectContaining({ instance_uid: uid, component: 'web' }));
    reporter.stop();
    const refusing = () => Promise.reject(new Error('The engine is unreachable'));
    const before = reports().length;
    reporter = start({ running: refusing, inspect: refusing });
    await until(() => reports().length > before + 2, { describe: 'reports without the engine' });
    expect(reports().at(-1)).toMatchObject({ usage: [], cpu: { cores: expect.any(Number) } });
  } finally {
    reporter.stop();
    await service.close();
  }
});
