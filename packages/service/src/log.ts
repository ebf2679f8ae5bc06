import { type DestinationStream, destination, type Logger, pino, stdSerializers } from 'pino';

export type Log = Logger;
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

export interface LogOptions {
  readonly level: LogLevel;
  /** Destination of the lines; standard error by default. */
  readonly stream?: DestinationStream;
}

const STANDARD_ERROR = 2;

/** Opens a log with one JSON object per line. Removes secrets, by field name and by their form. */
export function openLog({ level, stream }: LogOptions): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: (fields) => withoutSecrets(fields, 0) as typeof fields },
      serializers: { err: (error: Error) => withoutSecrets(stdSerializers.errWithCause(error), 0) },
      hooks: { streamWrite: withoutKeys },
    },
    stream ?? destination(STANDARD_ERROR),
  );
}

/**
 * Opens a stream with readable lines for terminals. Imported on demand, because the module is as large as the logger
 * itself.
 */
export async function readableLines(): Promise<DestinationStream> {
  const { default: pretty } = await import('pino-pretty');
  return pretty({ destination: STANDARD_ERROR, sync: true });
}

const secretName =
  /^(authorization|proxy-authorization|cookie|set-cookie|.*(password|passphrase|secret|api_?key|master_?key|private_?key|token).*|key|keys)$/i;
const REMOVED = '[removed]';
const DEEPEST = 6;

function withoutSecrets(value: unknown, depth: number): unknown {
  if (value === null || typeof value !== 'object' || value instanceof Error) return value;
  if (depth >= DEEPEST) return '[deep]';
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      secretName.test(name) && field !== undefined && field !== null ? REMOVED : withoutSecrets(field, depth + 1),
    ]),
  );
}

/** Removes our keys, bearer tokens and passwords in URLs anywhere in a line, including messages and stacks. */
function withoutKeys(line: string): string {
  return line
    .replace(/\b(h[ks]_(?:live|test)_)[A-Za-z0-9_-]{8,}/g, `$1${REMOVED}`)
    .replace(/\bBearer\s+[^\s"\\]+/gi, `Bearer ${REMOVED}`)
    .replace(/(\b[a-z][a-z0-9+.-]*:\/\/[^\s:/@"\\]*:)[^\s@"\\]+@/gi, `$1${REMOVED}@`);
}
