import { type Receiver, startReceiver } from './receiver.ts';

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly failed: boolean;
  /** `service.name` of its resource. */
  readonly program: unknown;
}

interface ReceivedMetric {
  readonly name: string;
  readonly program: unknown;
  /** As sent: `sum`, `gauge` or `histogram` with its data points. */
  readonly data: Readonly<Record<string, unknown>>;
}

export interface OtlpReceiver extends AsyncDisposable {
  /** Environment of a program that exports to it. */
  readonly env: Readonly<Record<string, string>>;
  readonly receiver: Receiver;
  /** All spans so far. */
  spans(): ReceivedSpan[];
  metrics(): ReceivedMetric[];
}

/** Starts a receiver of OTLP over HTTP with JSON. Debian has no collector, so this reads the documented format itself. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const receiver = await startReceiver();
  receiver.respond({ status: 200, headers: { 'content-type': 'application/json' }, body: '{}' });
  const sent = (path: string) => receiver.requests.filter((request) => request.path === path);
  return {
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '100',
      OTEL_METRIC_EXPORT_INTERVAL: '500',
    },
    receiver,
    spans: () => sent('/v1/traces').flatMap(({ json }) => spansIn(json as TraceExport)),
    metrics: () => sent('/v1/metrics').flatMap(({ json }) => metricsIn(json as MetricExport)),
    [Symbol.asyncDispose]: () => receiver.stop(),
  };
}

interface KeyValue {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface Resource {
  readonly attributes: readonly KeyValue[];
}

interface TraceExport {
  readonly resourceSpans: readonly {
    readonly resource: Resource;
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

interface SentSpan extends Pick<ReceivedSpan, 'traceId' | 'spanId' | 'name'> {
  readonly parentSpanId?: string;
  readonly attributes?: readonly KeyValue[];
  readonly status?: { readonly code?: number };
}

interface MetricExport {
  readonly resourceMetrics: readonly {
    readonly resource: Resource;
    readonly scopeMetrics: readonly { readonly metrics: readonly { readonly name: string }[] }[];
  }[];
}

const STATUS_ERROR = 2;

function spansIn({ resourceSpans }: TraceExport): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ traceId, spanId, parentSpanId, name, attributes = [], status }) => ({
        traceId,
        spanId,
        parentSpanId: parentSpanId || undefined,
        name,
        attributes: valuesOf(attributes),
        failed: status?.code === STATUS_ERROR,
        program: valuesOf(resource.attributes)['service.name'],
      })),
    ),
  );
}

function metricsIn({ resourceMetrics }: MetricExport): ReceivedMetric[] {
  return resourceMetrics.flatMap(({ resource, scopeMetrics }) =>
    scopeMetrics.flatMap(({ metrics }) =>
      metrics.map(({ name, ...data }) => ({ name, data, program: valuesOf(resource.attributes)['service.name'] })),
    ),
  );
}

/** A value is an object with one field that names its type. */
const valuesOf = (attributes: readonly KeyValue[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
