import { expect, it } from 'vitest';
import { openMetrics } from './metrics.ts';

it('requests are counted by endpoint and status, those counted in bulk included', async () => {
  const metrics = openMetrics();
  metrics.observe('templates.list', 200, 0.004);
  const tally = metrics.tally('templates.list', 200);
  tally.count += 5;
  metrics.tally('templates.list', 200).count++;
  for (let looks = 0; looks < 2; looks++) {
    const text = await metrics.text();
    expect(text).toContain('hortus_http_requests_total{endpoint="templates.list",status="200"} 7');
    expect(text).toContain('hortus_http_request_seconds_bucket{le="0.005",endpoint="templates.list",status="200"} 1');
  }
});

it('a gauge is read when metrics are collected', async () => {
  let sockets = 1;
  const metrics = openMetrics([{ name: 'hortus_daemons_connected', help: 'Open sockets.', read: () => sockets }]);
  sockets = 3;
  expect(await metrics.text()).toContain('hortus_daemons_connected 3');
});
