import { createHash } from 'node:crypto';
import { type EndpointName, endpoints } from '@hortus/contract/endpoints';
import { Clean } from 'typebox/value';
import { workerJob } from '../../workers/job.ts';
import { checksOf } from './checks.ts';
import { parseJson } from './json.ts';

export interface ReadBody {
  readonly body: unknown;
  /** Recognises the same body in a repeated request; only where it was asked for. */
  readonly digest?: string | undefined;
}

/**
 * Parses and checks a body that is too large for the event loop. Removes unknown fields, so that the result has the
 * regular form of its schema, which is cheap to copy to the main thread.
 */
function readLargeBody(name: EndpointName, bytes: Uint8Array, withDigest: boolean): ReadBody {
  const row = endpoints[name];
  const body = Clean(row.body, checksOf(row).body(parseJson(Buffer.from(bytes).toString())));
  return withDigest ? { body, digest: createHash('sha256').update(JSON.stringify(body)).digest('hex') } : { body };
}

export const READ_LARGE_BODY = workerJob('body.read', readLargeBody);
