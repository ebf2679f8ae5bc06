import Type, { type Static } from 'typebox';
import { ContainerLogLevel } from '../protocol/log-filter.ts';
import { load, ReportedUsage, Traffic } from '../resources/metrics.ts';

/**
 * Paths at which a daemon connects for a stream that the service asked for with `stream_open`: with the server key in
 * `Authorization`, and the ticket of the order in a header.
 */
export const streamPaths = ['/api/v1/ws/stream', '/ws/stream'] as const;
export const STREAM_TICKET_HEADER = 'x-hortus-stream-ticket';
/** Interval in which both sides of a stream send a ping; one that stays unanswered until the next ends the connection. */
export const STREAM_PING_MS = 20_000;

export const streamKinds = ['logs', 'metrics', 'shell'] as const;
export type StreamKind = (typeof streamKinds)[number];

/** Bytes of one message in either direction. */
export const STREAM_MESSAGE_BYTES = 1024 * 1024;

/**
 * Fields that the service adds to its first message on a stream. They make it a signed order for this stream alone:
 * Ed25519 over the canonical JSON (RFC 8785) of everything else, by the key that signs manifests.
 */
export interface StreamOrderProof {
  readonly type: 'stream_order';
  readonly kind: StreamKind;
  readonly server_id: string;
  /** Id of the `stream_open` that asked for the stream. */
  readonly stream_id: string;
  readonly signature: string;
}

const position = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const time = Type.Integer({ minimum: 0, maximum: 8.64e15 });
const component = Type.Optional(Type.String({ minLength: 1, maxLength: 128 }));

/** First message of the service on a stream of logs, by its `mode`. */
export const logOrders = {
  follow: Type.Object({ mode: Type.Literal('follow'), component }),
  read: Type.Object({
    mode: Type.Literal('read'),
    component,
    q: Type.Optional(Type.String({ maxLength: 1_000 })),
    level: Type.Optional(ContainerLogLevel),
    since: Type.Optional(time),
    until: Type.Optional(time),
    after: Type.Optional(position),
    before: Type.Optional(position),
    limit: Type.Integer({ minimum: 0, maximum: 5_000 }),
  }),
};
export type LogOrder = Static<(typeof logOrders)[keyof typeof logOrders]>;

export const StreamedLine = Type.Object({
  position,
  at: Type.String({ maxLength: 40, pattern: '^\\d{10,}\\.\\d{9}$', description: 'Seconds since 1970.' }),
  component: Type.String({ maxLength: 128 }),
  replica: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
  container: Type.String({ maxLength: 64 }),
  stream: Type.Enum(['stdout', 'stderr']),
  level: Type.Union([ContainerLogLevel, Type.Null()]),
  text: Type.String({ maxLength: 32 * 1024 }),
  cut: Type.Boolean(),
});
export type StreamedLine = Static<typeof StreamedLine>;

/** Messages of the daemon on a stream of logs. */
export const LogMessage = Type.Union([
  /** Every line after this position follows. */
  Type.Object({ from: position }),
  Type.Object({ lines: Type.Array(StreamedLine, { maxItems: 5_000 }) }),
  /** Number of lines that were dropped because the service read too slowly, and the position of the last of them. */
  Type.Object({ left_out: Type.Integer({ minimum: 1 }), position }),
  /**
   * All lines of a page are sent. `end` is the position of the last stored line, `dropped` the number of lines after
   * `after` that are no longer stored.
   */
  Type.Object({ end: position, more: Type.Boolean(), dropped: Type.Optional(position) }),
]);
export type LogMessage = Static<typeof LogMessage>;

/** Pause between two readings of a server while its metrics are watched. */
export const METRICS_EVERY_MS = 2_000;

/** Messages of the daemon on a stream of metrics: one for each reading. The service sends nothing. */
export const MetricsMessage = Type.Object({
  server: Type.Object({ ...load, network: Traffic }),
  usage: Type.Array(ReportedUsage, { maxItems: 1_000 }),
});
export type MetricsMessage = Static<typeof MetricsMessage>;
