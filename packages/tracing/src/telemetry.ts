import type { ReadMetrics } from './metric-values.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface TelemetryOptions {
  /** The environment of the process: the exporters read its OTEL_ variables themselves. */
  readonly env: Environment;
  /** `service.name` unless OTEL_SERVICE_NAME says otherwise. */
  readonly name: string;
  readonly version: string;
  /** Called at most once a minute, with the trouble of an export. */
  readonly warn: (message: string) => void;
}

export interface Telemetry {
  /** Exports these metrics as well, read at each export. */
  exportMetrics(read: ReadMetrics): Promise<void>;
  /** Sends what waits, for a few seconds at most. */
  stop(): Promise<void>;
}
