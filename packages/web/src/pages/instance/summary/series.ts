import type { InstanceMetrics, InstanceReading } from '@hortus/contract/resources/metrics';

interface Usage {
  readonly cpu: number;
  readonly memory: number;
  readonly received: number;
  readonly sent: number;
}

type Values = (number | null)[];

export interface Series {
  readonly xs: number[];
  readonly cpu: Values;
  readonly memory: Values;
  readonly received: Values;
  readonly sent: Values;
  /** The newest reading; undefined if nothing was reported lately. */
  readonly now: Usage | undefined;
}

/**
 * Columns of a chart, ending with the readings that are newer than its points: a new instance has no others. Where a report is
 * missing, the line is broken.
 */
export function seriesOf({ points, step_seconds }: InstanceMetrics, readings: readonly InstanceReading[]): Series {
  const newest = readings.at(-1);
  const now = newest && sumOf(newest);
  const series = {
    xs: [] as number[],
    cpu: [] as Values,
    memory: [] as Values,
    received: [] as Values,
    sent: [] as Values,
  };
  const add = (at: number, usage: Usage | undefined) => {
    series.xs.push(at);
    series.cpu.push(usage?.cpu ?? null);
    series.memory.push(usage?.memory ?? null);
    series.received.push(usage?.received ?? null);
    series.sent.push(usage?.sent ?? null);
  };
  for (const point of points) {
    const at = Date.parse(point.at) / 1000;
    const last = series.xs.at(-1);
    if (last !== undefined && at - last > step_seconds * 1.6) add(last + step_seconds, undefined);
    add(at, {
      cpu: point.cpu_percent,
      memory: point.memory_bytes,
      received: point.received_bytes_per_second,
      sent: point.sent_bytes_per_second,
    });
  }
  for (const reading of readings) {
    const [at, usage] = [Date.parse(reading.at) / 1000, sumOf(reading)];
    if (usage && at > (series.xs.at(-1) ?? 0)) add(at, usage);
  }
  return { ...series, now };
}

const sumOf = ({ components }: InstanceReading): Usage | undefined => {
  if (components.length === 0) return undefined;
  const sum = (field: 'cpu_percent' | 'memory_bytes' | 'received_bytes_per_second' | 'sent_bytes_per_second') =>
    components.reduce((total, component) => total + component[field], 0);
  return {
    cpu: sum('cpu_percent'),
    memory: sum('memory_bytes'),
    received: sum('received_bytes_per_second'),
    sent: sum('sent_bytes_per_second'),
  };
};

/** "812 B/s", "14 kB/s", "2.4 MB/s". */
export function rate(bytesPerSecond: number): string {
  if (bytesPerSecond >= 1e6) return `${(bytesPerSecond / 1e6).toFixed(1)} MB/s`;
  if (bytesPerSecond >= 1e3) return `${Math.round(bytesPerSecond / 1e3)} kB/s`;
  return `${Math.round(bytesPerSecond)} B/s`;
}
