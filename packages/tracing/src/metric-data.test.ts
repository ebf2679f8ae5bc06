import { expect, test } from 'vitest';
import { metricData } from './metric-data.ts';

const period = { startTime: [1, 0] as [number, number], endTime: [2, 0] as [number, number] };

test('a histogram keeps its sum and count, and counts values between two boundaries', () => {
  const labels = { endpoint: 'templates.list' };
  const bucket = (le: number | string, value: number) => ({
    metricName: 'seconds_bucket',
    labels: { le, ...labels },
    value,
  });
  const data = metricData(
    {
      name: 'seconds',
      help: 'Seconds.',
      type: 'histogram',
      values: [
        bucket(0.1, 2),
        bucket(0.5, 2),
        bucket(1, 7),
        bucket('+Inf', 9),
        { metricName: 'seconds_sum', labels, value: 12.5 },
        { metricName: 'seconds_count', labels, value: 9 },
      ],
    },
    period,
  );
  expect(data?.dataPoints).toEqual([
    {
      ...period,
      attributes: labels,
      value: { buckets: { boundaries: [0.1, 0.5, 1], counts: [2, 0, 5, 2] }, sum: 12.5, count: 9 },
    },
  ]);
});

test('each set of labels is a data point of its own', () => {
  const values = [200, 404].map((status) => ({ labels: { status }, value: status }));
  const data = metricData({ name: 'requests', help: '', type: 'counter', values }, period);
  expect(data).toMatchObject({ isMonotonic: true, dataPoints: [{ value: 200 }, { value: 404 }] });
  expect(data?.dataPoints.map(({ attributes }) => attributes)).toEqual([{ status: '200' }, { status: '404' }]);
});
