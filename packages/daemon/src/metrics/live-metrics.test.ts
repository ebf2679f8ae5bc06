import type { MetricsMessage } from '@hortus/contract/channel/streams';
import { openLog } from '@hortus/logging/log';
import { until } from '@hortus/testkit/until';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { component } from '../plan/testing/manifests.ts';
import { image, TestServer } from '../rollout/testing/server.ts';
import type { Stream } from '../streams/stream.ts';
import { CapacityMeter } from './capacity.ts';
import { HostTraffic } from './host-traffic.ts';
import { LiveMetrics, type Meters } from './live-metrics.ts';
import { UsageMeter } from './usage-meter.ts';

const log = openLog({ level: 'error' });

/** The end of a stream at the service. */
function receiver() {
  const over = new AbortController();
  const received: MetricsMessage[] = [];
  const made = { reads: true, isListening: false };
  const stream: Stream = {
    signal: over.signal,
    send(data) {
      if (made.reads) received.push(JSON.parse(String(data)));
      return made.reads;
    },
    drained: () => Promise.reject(new Error('Nothing may wait for a reader.')),
    listen: () => {
      made.isListening = true;
    },
    close: () => {},
  };
  return { stream, received, made, end: () => over.abort() };
}

const load = {
  memory: { used: 1, free: 1 },
  cpu: { cores: 1, used_percent: 1 },
  disk: { used: 1, free: 1 },
};
const network = { received_bytes_per_second: 1, sent_bytes_per_second: 1 };

const opening = { instance: 'srv', requireSigned: () => {} };

it('measures once for all streams, only while one is open, and queues nothing for a slow reader', async () => {
  let [passes, made] = [0, 0];
  const meters = (): Meters => {
    made++;
    return {
      capacity: {
        read: async () => {
          passes++;
          return load;
        },
      },
      usage: { read: () => Promise.reject(new Error('The engine is unreachable')) },
      traffic: { read: async () => network },
    };
  };
  const live = new LiveMetrics({ meters, log, everyMs: 5 });
  expect(made).toBe(0);
  const [item, two] = [receiver(), receiver()];
  const served = [live.serve(item.stream, opening), live.serve(two.stream, opening)];
  await until(() => item.received.length > 3 && two.received.length > 3, { describe: 'readings' });
  expect(item.received[0]).toEqual({ server: { ...load, network }, usage: [] });
  expect(made).toBe(1);
  expect(passes).toBeLessThanOrEqual(Math.max(item.received.length, two.received.length) + 3);
  expect(item.made.isListening).toBe(true);
  two.made.reads = false;
  const before = item.received.length;
  await until(() => item.received.length > before + 3, { describe: 'readings beside a slow reader' });
  item.end();
  two.end();
  await Promise.all(served);
  const after = passes;
  // Meters of their own: rates must not cover the time without a watcher.
  const third = receiver();
  const again = live.serve(third.stream, opening);
  await until(() => third.received.length > 0, { describe: 'readings of a new watcher' });
  expect(made).toBe(2);
  expect(passes).toBeGreaterThan(after);
  third.end();
  await again;
});

let server: TestServer;
let uid: string;
beforeAll(async () => {
  server = await TestServer.open();
  uid = server.newUid();
  const overrides = { image, init: true, stop_grace_period_ms: 0 };
  const result = await server.deploy(uid, [
    component('web', { ...overrides, command: ['httpd', '-f', '-p', '80', '-h', '/bin'] }),
    component('burner', { ...overrides, command: ['sh', '-c', 'while :; do :; done'] }),
    component('client', { ...overrides, command: ['sleep', '1000'] }),
  ]);
  expect(result).toMatchObject({ status: 'success' });
});
afterAll(() => server.close());

it('a container that burns CPU shows it, and a download shows in the network of both ends and no one else', async () => {
  const meters = () => ({
    capacity: new CapacityMeter('/'),
    usage: new UsageMeter({ engine: server.engine, serverId: () => server.id, log }),
    traffic: new HostTraffic(),
  });
  const live = new LiveMetrics({ meters, log, everyMs: 300 });
  const { stream, received, end } = receiver();
  const served = live.serve(stream, opening);
  const newest = () => {
    const all = received.at(-1)?.usage.filter(({ instance_uid }) => instance_uid === uid) ?? [];
    return Object.fromEntries(all.map((item) => [item.component, item]));
  };
  await until(() => (newest().burner?.cpu_percent ?? 0) > 20, { describe: 'the CPU of the burner' });
  expect(newest().client?.cpu_percent).toBeLessThan(newest().burner?.cpu_percent ?? 0);
  expect(received.at(-1)?.server).toMatchObject({ cpu: { cores: expect.any(Number) }, network: expect.any(Object) });
  const [container] = await server.engine.containers({
    labels: { 'hortus.instance': uid, 'hortus.component': 'client' },
  });
  const seen = received.length;
  const download = 'for i in 1 2 3 4 5 6 7 8 9 10; do wget -q -O /dev/null http://alias-web/busybox; done';
  await server.engine.exec(container?.id ?? '', { argv: ['sh', '-c', download] });
  const during = () =>
    received.slice(seen).flatMap(({ usage }) => usage.filter(({ instance_uid }) => instance_uid === uid));
  const max = (name: string, of: 'received_bytes_per_second' | 'sent_bytes_per_second') =>
    Math.max(
      0,
      ...during()
        .filter(({ component }) => component === name)
        .map((item) => item[of]),
    );
  await until(() => max('client', 'received_bytes_per_second') > 500_000, { describe: 'the download' });
  expect(max('web', 'sent_bytes_per_second')).toBeGreaterThan(100_000);
  expect(max('burner', 'received_bytes_per_second')).toBeLessThan(100_000);
  end();
  await served;
});
