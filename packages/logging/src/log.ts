import { type DestinationStream, destination, type Logger, pino, symbols } from 'pino';
import { loggable } from './loggable.ts';
import { redactJson } from './redact.ts';

export type Log = Logger;
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

export interface LogOptions {
  readonly level: LogLevel;
  /** Destination of the lines; standard error by default. */
  readonly stream?: DestinationStream;
  /** Secrets of this process, removed wherever they appear. */
  readonly hidden?: readonly string[];
  /** Called after a line of level error or fatal was written. */
  readonly onError?: (line: string) => void;
}

export const STANDARD_ERROR = 2;
/** Number of the level in pino. */
const ERROR = 50;

/**
 * Opens a log with one JSON object per line, for service and daemon. Lines are written before the call returns, so that those of a
 * crash are not lost. Removes secrets, by field name and by their form.
 */
export function openLog({ level, stream = destination(STANDARD_ERROR), hidden, onError }: LogOptions): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: (fields) => loggable(fields, hidden) },
      // Errors are copied above; the serializer of pino would copy them again.
      serializers: { err: (error: unknown) => error },
      hooks: { streamWrite: redactJson },
    },
    onError ? withErrors(stream, onError) : stream,
  );
}

function withErrors(stream: DestinationStream, onError: (line: string) => void): DestinationStream {
  return {
    // Asks pino to set `lastLevel` before each write.
    [symbols.needsMetadataGsym]: true,
    lastLevel: 0,
    write(line: string) {
      stream.write(line);
      if (this.lastLevel >= ERROR) onError(line);
    },
  } as DestinationStream & { lastLevel: number };
}
