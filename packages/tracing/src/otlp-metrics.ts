import { millisToHrTime } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import {
  MeterProvider,
  type MetricProducer,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
} from '@opentelemetry/sdk-metrics';
import { metricData } from './metric-data.ts';
import type { ReadMetrics } from './metric-values.ts';
import type { Protocol } from './protocol.ts';

const MAX_EXPORT_MS = 30_000;

export interface MetricExportOptions {
  /** Milliseconds between two exports. */
  readonly interval: number;
  readonly protocol: Protocol;
  readonly resource: Resource;
  readonly name: string;
  readonly version: string;
  readonly read: ReadMetrics;
}

/** Exports the metrics of `read` periodically; returns the function that ends it with a last export. */
export async function openMetricExport(options: MetricExportOptions): Promise<() => Promise<void>> {
  const { interval } = options;
  const reader = new PeriodicExportingMetricReader({
    exporter: await metricExporter(options.protocol),
    exportIntervalMillis: interval,
    exportTimeoutMillis: Math.min(interval, MAX_EXPORT_MS),
    metricProducers: [producerOf(options)],
  });
  const provider = new MeterProvider({ resource: options.resource, readers: [reader] });
  return () => provider.shutdown();
}

/** Reads the existing registry, so that `/metrics` and OTLP report the same values. */
function producerOf({ read, resource, name, version }: MetricExportOptions): MetricProducer {
  const startTime = millisToHrTime(Date.now());
  return {
    async collect() {
      const values = await read();
      const period = { startTime, endTime: millisToHrTime(Date.now()) };
      const metrics = values.flatMap((metric) => metricData(metric, period) ?? []);
      return { resourceMetrics: { resource, scopeMetrics: [{ scope: { name, version }, metrics }] }, errors: [] };
    },
  };
}

async function metricExporter(protocol: Protocol): Promise<PushMetricExporter> {
  const { OTLPMetricExporter } = await (protocol === 'http/json'
    ? import('@opentelemetry/exporter-metrics-otlp-http')
    : import('@opentelemetry/exporter-metrics-otlp-proto'));
  return new OTLPMetricExporter();
}
