export type Protocol = 'http/protobuf' | 'http/json';

/** Reads OTEL_EXPORTER_OTLP_PROTOCOL. gRPC would need a library of its own; every collector also speaks HTTP. */
export function protocolOf(env: Readonly<Record<string, string | undefined>>): Protocol {
  const name = env.OTEL_EXPORTER_OTLP_PROTOCOL || 'http/protobuf';
  if (name === 'http/protobuf' || name === 'http/json') return name;
  throw new Error('OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or http/json');
}
