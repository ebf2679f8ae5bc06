import { type DaemonError, MAX_DETAIL } from '@hortus/contract/resources/diagnostics';

/** The form of an error in a log line. */
interface LoggedError {
  readonly stack?: string;
  readonly message?: string;
  readonly cause?: unknown;
  readonly errors?: readonly unknown[];
}

const MAX_MESSAGE = 500;
const MAX_FIELDS = 20;
const MAX_NAME = 64;
const MAX_VALUE = 256;

/** Converts a log line of level error or fatal, from which the secrets are removed already. */
export function errorRecord(line: string): DaemonError {
  const { level, time, msg, err, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const at = String(time);
  return {
    level: level === 'fatal' ? 'fatal' : 'error',
    message: String(msg ?? (err as LoggedError | undefined)?.message ?? '').slice(0, MAX_MESSAGE),
    detail: err === undefined ? null : cut(detailOf(err), MAX_DETAIL),
    fields: Object.fromEntries(
      Object.entries(fields)
        .slice(0, MAX_FIELDS)
        .map(([name, value]) => [name.slice(0, MAX_NAME), textOf(value).slice(0, MAX_VALUE)]),
    ),
    count: 1,
    first_at: at,
    last_at: at,
  };
}

/** Merges repetitions, which differ only in what they concern; keeps the order of the last occurrences. */
export function merged(errors: readonly DaemonError[]): DaemonError[] {
  const known = new Map<string, DaemonError>();
  for (const error of errors) {
    const key = JSON.stringify([error.level, error.message, error.detail]);
    const before = known.get(key);
    known.delete(key);
    known.set(key, before ? { ...error, count: before.count + error.count, first_at: before.first_at } : error);
  }
  return [...known.values()];
}

/** Prints an error and its causes as Node does. */
function detailOf(err: unknown): string {
  if (err === null || typeof err !== 'object') return textOf(err);
  const { stack, message, cause, errors = [] } = err as LoggedError;
  const inner = [cause, ...errors].filter((item) => item !== undefined);
  return [stack ?? message ?? textOf(err), ...inner.map((item) => `Caused by: ${detailOf(item)}`)].join('\n');
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

const cut = (text: string, limit: number): string => (text.length <= limit ? text : `${text.slice(0, limit - 1)}…`);
