import type { Telemetry, TelemetryOptions } from './telemetry.ts';

/**
 * Starts the export by OTLP if OTEL_EXPORTER_OTLP_ENDPOINT is set. Otherwise loads nothing of OpenTelemetry. Wrong
 * settings are a warning: a program works without its traces.
 */
export async function startTelemetry(options: TelemetryOptions): Promise<Telemetry | undefined> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: disabled } = options.env;
  if (!endpoint || disabled?.toLowerCase() === 'true') return undefined;
  try {
    if (!/^https?:\/\//.test(endpoint) || !URL.canParse(endpoint))
      throw new Error('OTEL_EXPORTER_OTLP_ENDPOINT must be an address such as http://127.0.0.1:4318');
    const { openOtlp } = await import('./otlp.ts');
    return await openOtlp(options);
  } catch (error) {
    options.warn(`Traces and metrics are not exported: ${(error as Error).message}.`);
    return undefined;
  }
}
