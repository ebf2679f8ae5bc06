/** Variables of OpenTelemetry that service and daemon read, for the page of settings. */
export const variables: Readonly<Record<string, { readonly standard: string; readonly meaning: string }>> = {
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    standard: 'none, nothing is exported',
    meaning: 'Base address of an OTLP/HTTP receiver, such as http://127.0.0.1:4318.',
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    standard: 'none',
    meaning: 'Headers for the receiver, such as `authorization=Bearer%20…`. A secret.',
  },
  OTEL_EXPORTER_OTLP_PROTOCOL: { standard: '`http/protobuf`', meaning: '`http/protobuf` or `http/json`.' },
  OTEL_EXPORTER_OTLP_TIMEOUT: { standard: '`10000`', meaning: 'Milliseconds that one export may take.' },
  OTEL_SERVICE_NAME: {
    standard: '`hortus` or `hortusd`',
    meaning: 'Name of the program in traces and metrics. `npm start` does not hand it to its daemon.',
  },
  OTEL_RESOURCE_ATTRIBUTES: {
    standard: 'none',
    meaning: 'Attributes of all traces and metrics, such as `deployment.environment.name=production`.',
  },
  OTEL_TRACES_SAMPLER: {
    standard: '`parentbased_always_on`',
    meaning:
      'Which traces are recorded: always_on, always_off or traceidratio, each also with the prefix parentbased_.',
  },
  OTEL_TRACES_SAMPLER_ARG: { standard: '`1`', meaning: 'For traceidratio: the share of traces, from 0 to 1.' },
  OTEL_BSP_SCHEDULE_DELAY: { standard: '`5000`', meaning: 'Milliseconds between two exports of spans.' },
  OTEL_METRIC_EXPORT_INTERVAL: { standard: '`60000`', meaning: 'Milliseconds between two exports of metrics.' },
  OTEL_TRACES_EXPORTER: { standard: '`otlp`', meaning: '`none` exports no traces.' },
  OTEL_METRICS_EXPORTER: { standard: '`otlp`', meaning: '`none` exports no metrics.' },
  OTEL_SDK_DISABLED: { standard: '`false`', meaning: '`true` exports nothing.' },
};
