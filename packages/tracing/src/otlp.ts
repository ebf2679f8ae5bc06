import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DiagLogLevel, diag } from '@opentelemetry/api';
import { setGlobalErrorHandler } from '@opentelemetry/core';
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import { milliseconds } from './environment-milliseconds.ts';
import { OtlpTracer } from './otlp-tracer.ts';
import { type Protocol, protocolOf } from './protocol.ts';
import { samplerOf } from './sampler.ts';
import { useTracer } from './span.ts';
import type { Telemetry, TelemetryOptions } from './telemetry.ts';

/** Spans that wait for their export; further ones are dropped. */
const MAX_QUEUE_LENGTH = 2_048;
const IN_ONE_EXPORT = 512;
const DELAY_MS = 5_000;
const INTERVAL_MS = 60_000;
const MAX_VALUE_LENGTH = 256;
/** At shutdown: a receiver that hangs must not hold the program. */
const STOP_WITHIN_MS = 3_000;
const MINUTE = 60_000;

export async function openOtlp(options: TelemetryOptions): Promise<Telemetry> {
  const { env, name, version } = options;
  const protocol = protocolOf(env);
  const sampler = samplerOf(env);
  const delay = milliseconds(env, 'OTEL_BSP_SCHEDULE_DELAY') ?? DELAY_MS;
  const interval = milliseconds(env, 'OTEL_METRIC_EXPORT_INTERVAL') ?? INTERVAL_MS;
  warnOfTrouble(options.warn);
  const resource = resourceOf(options);
  const stops: (() => Promise<void>)[] = [];
  if (env.OTEL_TRACES_EXPORTER !== 'none') {
    const processor = new BatchSpanProcessor({
      exporter: await traceExporter(protocol),
      maxQueueSize: MAX_QUEUE_LENGTH,
      maxExportBatchSize: IN_ONE_EXPORT,
      scheduledDelayMillis: delay,
    });
    const provider = new TracerProvider({
      resource,
      sampler,
      spanProcessors: [processor],
      spanLimits: { attributeValueLengthLimit: MAX_VALUE_LENGTH },
    });
    useTracer(new OtlpTracer(provider.getTracer(name, version)));
    stops.push(() => provider.shutdown());
  }
  return {
    async exportMetrics(read) {
      if (env.OTEL_METRICS_EXPORTER === 'none') return;
      const { openMetricExport } = await import('./otlp-metrics.ts');
      stops.push(await openMetricExport({ interval, protocol, resource, name, version, read }));
    },
    async stop() {
      const all = Promise.all(stops.map((stop) => stop().catch(() => undefined)));
      await Promise.race([all, sleep(STOP_WITHIN_MS, undefined, { ref: false })]);
      useTracer(undefined);
    },
  };
}

/** The environment wins over our names. Each process has an id, so that the sums of replicas are told apart. */
const resourceOf = ({ name, version }: TelemetryOptions): Resource =>
  defaultResource()
    .merge(
      resourceFromAttributes({
        'service.name': name,
        'service.version': version,
        'service.instance.id': randomUUID(),
      }),
    )
    .merge(detectResources({ detectors: [envDetector] }));

async function traceExporter(protocol: Protocol): Promise<SpanExporter> {
  const { OTLPTraceExporter } = await (protocol === 'http/json'
    ? import('@opentelemetry/exporter-trace-otlp-http')
    : import('@opentelemetry/exporter-trace-otlp-proto'));
  return new OTLPTraceExporter();
}

/** One line a minute: a receiver that is down fails every export. */
function warnOfTrouble(warn: (message: string) => void): void {
  let next = 0;
  const notify = (trouble: string) => {
    const now = Date.now();
    if (now < next) return;
    next = now + MINUTE;
    warn(`Traces or metrics could not be exported: ${trouble}`);
  };
  const reported = (message: string) => notify(message);
  const quiet = () => {};
  setGlobalErrorHandler((error) => notify(typeof error === 'string' ? error : (error.message ?? 'unknown error')));
  diag.setLogger(
    { error: reported, warn: reported, info: quiet, debug: quiet, verbose: quiet },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}
