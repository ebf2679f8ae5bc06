import type { InstanceMetrics } from '@hortus/contract/resources/metrics';
import { expect, it } from 'vitest';
import { rate, seriesOf } from './series.ts';

const point = (minute: number, cpu_percent: number) => ({
  at: new Date(minute * 60_000).toISOString(),
  cpu_percent,
  cpu_percent_max: cpu_percent,
  memory_bytes: 1,
  memory_bytes_max: 1,
  received_bytes_per_second: 2,
  sent_bytes_per_second: 3,
  read_bytes_per_second: 0,
  written_bytes_per_second: 0,
});
const metrics = (points: ReturnType<typeof point>[]) => ({ step_seconds: 60, points }) as unknown as InstanceMetrics;

it('a missing report breaks the line instead of being drawn over', () => {
  const { xs, cpu } = seriesOf(metrics([point(1, 10), point(2, 20), point(5, 30)]), []);
  expect(cpu).toEqual([10, 20, null, 30]);
  expect(xs).toEqual([60, 120, 180, 300]);
});

it('readings that are newer than the points end the line with the sum of all components', () => {
  const usage = { cpu_percent: 4, memory_bytes: 5, received_bytes_per_second: 0, sent_bytes_per_second: 0 };
  const components = [
    { ...usage, component: 'db' },
    { ...usage, component: 'web' },
  ] as never[];
  const reading = (minute: number) => ({
    instance_id: 'ins_1',
    at: new Date(minute * 60_000).toISOString(),
    live: true,
    components,
  });
  expect(seriesOf(metrics([point(1, 10)]), [reading(2)])).toMatchObject({ cpu: [10, 8], now: { cpu: 8, memory: 10 } });
  expect(seriesOf(metrics([point(3, 10)]), [reading(2)]).cpu).toEqual([10]);
  // Before the first point of a new instance they are all there is.
  expect(seriesOf(metrics([]), [reading(1), reading(2), reading(2), reading(3)]).xs).toEqual([60, 120, 180]);
});

it('rates have a unit that fits', () => {
  expect([rate(12), rate(14_400), rate(2_440_000)]).toEqual(['12 B/s', '14 kB/s', '2.4 MB/s']);
});
