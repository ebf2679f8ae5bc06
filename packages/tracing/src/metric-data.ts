import { type HrTime, ValueType } from '@opentelemetry/api';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
} from '@opentelemetry/sdk-metrics';
import type { MetricValues } from './metric-values.ts';

/** When counting began, and when the values were read. */
export interface Period {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

/** Translates a metric of Prometheus. Summaries have no counterpart that adds up, and we have none. */
export function metricData(metric: MetricValues, period: Period): MetricData | undefined {
  const shared = {
    descriptor: { name: metric.name, description: metric.help, unit: '', valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  switch (metric.type) {
    case 'counter':
      return { ...shared, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: numbers(metric, period) };
    case 'gauge':
      return { ...shared, dataPointType: DataPointType.GAUGE, dataPoints: numbers(metric, period) };
    case 'histogram':
      return { ...shared, dataPointType: DataPointType.HISTOGRAM, dataPoints: histograms(metric, period) };
    default:
      return undefined;
  }
}

const numbers = ({ values }: MetricValues, period: Period): DataPoint<number>[] =>
  values.map(({ value, labels }) => ({ ...period, attributes: attributesOf(labels), value }));

type Labels = MetricValues['values'][number]['labels'];

const attributesOf = (labels: Labels): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)]));

function histograms({ name, values }: MetricValues, period: Period): DataPoint<Histogram>[] {
  const points = new Map<string, { attributes: Record<string, string>; value: Histogram; counted: number }>();
  for (const { value, labels, metricName } of values) {
    const { le, ...rest } = labels;
    const attributes = attributesOf(rest);
    const key = JSON.stringify(attributes);
    const point = points.get(key) ?? { attributes, value: empty(), counted: 0 };
    points.set(key, point);
    if (metricName === `${name}_sum`) point.value.sum = value;
    else if (metricName === `${name}_count`) point.value.count = value;
    else {
      // Prometheus counts all values up to a boundary, OTLP those between two.
      if (Number.isFinite(Number(le))) point.value.buckets.boundaries.push(Number(le));
      point.value.buckets.counts.push(value - point.counted);
      point.counted = value;
    }
  }
  return [...points.values()].map(({ attributes, value }) => ({ ...period, attributes, value }));
}

const empty = (): Histogram => ({ buckets: { boundaries: [], counts: [] }, sum: 0, count: 0 });
