import { expect, it } from 'vitest';
import { openMetrics } from './metrics.ts';

it('requests are counted by endpoint and status, those counted in bulk included', async () => {
  const metrics = openMetrics();
  metrics.observe('templates.list', 200, 0.004);
  const tally = metrics.tally('templates.list', 200);
  tally.count += 5;
  metrics.tally('templates.list', 200).count++;
  for (let polls = 0; polls < 2; polls++) {
    const text = await metrics.text();
    expect(text).toContain('hortus_http_requests_total{endpoint="templates.list",status="200"} 7');
    expect(text).toContain('hortus_http_request_seconds_bucket{le="0.005",endpoint="templates.list",status="200"} 1');
  }
});

it('a gauge is read when metrics are collected', async () => {
  let sockets = 1;
  const metrics = openMetrics();
  metrics.add({ name: 'hortus_daemons_connected', help: 'Open sockets.', read: () => sockets });
  sockets = 3;
  expect(await metrics.text()).toContain('hortus_daemons_connected 3');
});

it('a label or value that is gone is not exported with its old value', async () => {
  const metrics = openMetrics();
  let depth: ReadonlyMap<string, number> | undefined = new Map([['deliver', 4]]);
  let lag: number | undefined = 2;
  metrics.add({ name: 'depth', help: 'Due jobs.', label: 'kind', read: () => depth });
  metrics.add({ name: 'lag', help: 'Events.', read: async () => lag });
  const before = await metrics.text();
  expect(before).toContain('depth{kind="deliver"} 4');
  expect(before).toContain('lag 2');
  depth = new Map([['heal', 1]]);
  lag = undefined;
  const after = await metrics.text();
  expect(after).toContain('depth{kind="heal"} 1');
  expect(after).not.toMatch(/deliver|^lag /m);
  depth = undefined;
  lag = 0;
  expect(await metrics.text()).toContain('lag 0');
});

it('only counters end in _total, as Prometheus expects', async () => {
  const types = [...(await openMetrics().text()).matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  const totals = types.filter(([, name]) => name?.endsWith('_total'));
  expect(totals.length).toBeGreaterThan(0);
  for (const [, name, type] of totals) expect(type, name).toBe('counter');
  expect(types.map(([, name]) => name)).toContain('nodejs_active_resources');
});

it('database times are counted by operation', async () => {
  const metrics = openMetrics();
  metrics.observeDatabase('read', 0.0002);
  metrics.observeDatabase('write', 0.02);
  const text = await metrics.text();
  expect(text).toContain('hortus_database_seconds_bucket{le="0.00025",operation="read"} 1');
  expect(text).toContain('hortus_database_seconds_count{operation="write"} 1');
});
