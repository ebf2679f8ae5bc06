import { STANDARD_ERROR } from '@hortus/logging/log';
import type { DestinationStream } from 'pino';

export { type Log, type LogLevel, openLog } from '@hortus/logging/log';

/**
 * Opens a stream with readable lines for terminals. Imported on demand, because the module is as large as the logger
 * itself.
 */
export async function readableLines(): Promise<DestinationStream> {
  const { default: pretty } = await import('pino-pretty');
  return pretty({ destination: STANDARD_ERROR, sync: true });
}
