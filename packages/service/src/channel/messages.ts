import { negotiatedToService, type ToService, toService } from '@hortus/contract/channel';
import { Compile } from 'typebox/compile';
import { isTooDeep } from '../nesting.ts';
import { lenientResult } from './lenient-results.ts';

const checks = new Map(
  Object.entries({ ...toService, ...negotiatedToService }).map(([type, schema]) => [type, Compile(schema)]),
);

/** Parses and checks a message of a daemon. Unknown types are ignored, because the daemon may be newer. */
export function readMessage(data: Buffer, isBinary: boolean): ToService | 'unknown' | 'malformed' {
  if (isBinary) return 'malformed';
  const value = parsed(data.toString());
  const type = (value as { type?: unknown } | null)?.type;
  if (typeof type !== 'string' || isTooDeep(value)) return 'malformed';
  const check = checks.get(type);
  if (!check) return 'unknown';
  const meant = lenientResult(value as Record<string, unknown>);
  return check.Check(meant) ? (meant as ToService) : 'malformed';
}

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
