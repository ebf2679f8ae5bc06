import { isSecretName, REMOVED, redact } from './redact.ts';

/** Limits of one line. An error may contain anything that a container wrote. */
const MAX_DEPTH = 6;
const MAX_CAUSES = 5;
const MAX_VALUES = 500;
const MAX_CHARACTERS = 48 * 1024;
const MAX_MESSAGE = 4 * 1024;
const MAX_STACK = 8 * 1024;
const MAX_TEXT = 16 * 1024;
/** Read beyond a limit before the cut, so that a secret at the limit is recognised. */
const LOOKAHEAD = 16 * 1024;

/** Copies the fields of a log line: bounded, errors with stack and cause, and without secrets. Never throws. */
export function loggable(fields: object, hidden: readonly string[] = []): Record<string, unknown> {
  try {
    return new Copy(hidden).fields(fields, 0);
  } catch (error) {
    // A getter or a proxy threw. The message of the line is worth more than its fields.
    return { unreadable_fields: redact(String(error).slice(0, MAX_MESSAGE), hidden) };
  }
}

/** Copies values until the limits of a line are reached. */
class Copy {
  readonly #hidden: readonly string[];
  #values = MAX_VALUES;
  #characters = MAX_CHARACTERS;

  constructor(hidden: readonly string[]) {
    this.#hidden = hidden;
  }

  fields(value: object, depth: number, skipped: readonly string[] = []): Record<string, unknown> {
    const copy: Record<string, unknown> = {};
    for (const name of Object.keys(value)) {
      if (skipped.includes(name)) continue;
      if (this.#values <= 0) break;
      const field = (value as Record<string, unknown>)[name];
      const isSecret = isSecretName(name) && field !== undefined && field !== null;
      copy[name] = isSecret ? REMOVED : this.#value(field, depth + 1);
    }
    return copy;
  }

  #value(value: unknown, depth: number): unknown {
    if (--this.#values < 0) return '[cut]';
    if (typeof value === 'string') return this.#text(value, MAX_TEXT);
    if (value === null || typeof value !== 'object') return value;
    if (value instanceof Error) return this.#error(value, depth, 0);
    if (depth >= MAX_DEPTH) return '[deep]';
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
    if (Array.isArray(value)) return value.slice(0, MAX_VALUES).map((item) => this.#value(item, depth + 1));
    if ('toJSON' in value && typeof value.toJSON === 'function') return this.#value(value.toJSON(), depth + 1);
    return this.fields(value, depth);
  }

  #error(error: Error, depth: number, causes: number): unknown {
    const message = this.#text(String(error.message), MAX_MESSAGE);
    const { cause } = error;
    const isLast = causes >= MAX_CAUSES;
    const inner = (other: unknown) =>
      isLast
        ? '[deep]'
        : other instanceof Error
          ? this.#error(other, depth, causes + 1)
          : this.#value(other, depth + 1);
    return {
      type: error.constructor?.name || error.name,
      message,
      stack: this.#text(`${error.name}: ${message}${framesOf(error)}`, MAX_STACK),
      ...(cause !== undefined && { cause: inner(cause) }),
      ...(error instanceof AggregateError && { errors: error.errors.slice(0, MAX_CAUSES).map(inner) }),
      ...this.fields(error, depth, RESERVED),
    };
  }

  #text(text: string, limit: number): string {
    const max = Math.max(0, Math.min(limit, this.#characters));
    const safe = redact(text.slice(0, max + LOOKAHEAD), this.#hidden);
    this.#characters -= Math.min(safe.length, max);
    return safe.length <= max && text.length <= max + LOOKAHEAD ? safe : `${safe.slice(0, max)}… [cut]`;
  }
}

/** Fields of errors that are copied apart from the others, if a class makes them enumerable. */
const RESERVED = ['message', 'stack', 'cause', 'errors'];

/** Returns the frames of a stack without the message above them, which is cut on its own. */
function framesOf({ stack, message }: Error): string {
  const text = typeof stack === 'string' ? stack : '';
  const begin = text.indexOf(message);
  const frames = text.indexOf('\n    at ', begin === -1 ? 0 : begin + message.length);
  return frames === -1 ? '' : text.slice(frames);
}
