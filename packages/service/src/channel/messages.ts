import { negotiatedToService, type ToService, toService } from '@hortus/contract/channel/channel';
import { Compile } from 'typebox/compile';
import { JsonSize } from '../http/validation/json-size.ts';
import { isTooDeep } from '../http/validation/nesting.ts';
import { workerJob } from '../workers/job.ts';
import { lenientResult } from './lenient-results.ts';

const checks = new Map(
  Object.entries({ ...toService, ...negotiatedToService }).map(([type, schema]) => [type, Compile(schema)]),
);

/** Values of a message, as many as those of a request body. Parsing costs up to a microsecond for each. */
const MAX_VALUES = 20_000;

/** `costly` messages have more values than any daemon needs to send; they are never parsed. */
export type Read = ToService | 'unknown' | 'malformed' | 'costly';

/** Parses and checks a message of a daemon. Unknown types are ignored, because the daemon may be newer. */
export function readMessage(data: Buffer, isBinary: boolean): Read {
  if (isBinary) return 'malformed';
  const size = new JsonSize(MAX_VALUES);
  try {
    size.add(data);
  } catch {
    return size.values > MAX_VALUES ? 'costly' : 'malformed';
  }
  const value = parsed(data.toString());
  const type = (value as { type?: unknown } | null)?.type;
  if (typeof type !== 'string' || isTooDeep(value)) return 'malformed';
  const check = checks.get(type);
  if (!check) return 'unknown';
  const meant = lenientResult(value as Record<string, unknown>);
  return check.Check(meant) ? (meant as ToService) : 'malformed';
}

/** Reads a message that is too large for the event loop. */
export const READ_MESSAGE = workerJob('channel.read', (bytes: Uint8Array) => readMessage(Buffer.from(bytes), false));

function parsed(text: string): unknown {
  try {
    // Databases cannot store the null character; replace it, so that the output is not lost.
    return text.includes('\\u0000') ? JSON.parse(text, withoutNull) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

const withoutNull = (_name: string, value: unknown): unknown =>
  typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value;
