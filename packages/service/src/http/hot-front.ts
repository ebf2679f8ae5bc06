import type { IncomingMessage, OutgoingHttpHeader, ServerResponse } from 'node:http';
import { allows } from '@hortus/contract/permissions';
import { isTracing } from '@hortus/tracing/span';
import type { Log } from '../process/log.ts';
import { acceptedEncoding } from './accepted-encoding.ts';
import type { CallerAddress } from './caller-address.ts';
import type { Authenticator } from './gate.ts';
import { CACHE_CONTROL, type HotReads, VARY } from './hot-reads.ts';
import { isFresh } from './prepared.ts';
import type { RateLimiter } from './rate-limit.ts';
import { requestId } from './request-id.ts';
import { recordHotRequest } from './request-span.ts';
import { securityHeaders } from './security-headers.ts';
import { parseTarget } from './target.ts';

export interface FrontParts {
  readonly reads: HotReads;
  readonly authenticator: Authenticator;
  readonly limiter: RateLimiter;
  readonly addressOf: CallerAddress;
  readonly log: Log;
}

/**
 * Answers simple requests before the router: a GET with a prepared answer, from a cached caller that is permitted and
 * within its limit. Returns false for everything else, including every refusal, which the router handles. For speed,
 * headers are read from the raw list and written at once, and of the security headers only the one that is relevant for
 * JSON is sent.
 */
export function hotFront({ reads, authenticator, limiter, addressOf, log }: FrontParts) {
  const logs = log.isLevelEnabled('debug');
  const encodingOf = remembered(acceptedEncoding);
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    if (request.method !== 'GET') return false;
    const responses = reads.at(request.url as string);
    if (responses === undefined) return false;

    let authorization: string | undefined;
    let ifNoneMatch: string | undefined;
    let idParam: string | undefined;
    let forwarded: string | undefined;
    let accepted: string | undefined;
    const raw = request.rawHeaders;
    for (let i = 0; i < raw.length; i += 2) {
      const name = raw[i] as string;
      if (name.length === 13) {
        const lower = name.toLowerCase();
        if (lower === 'authorization') authorization ??= raw[i + 1];
        else if (lower === 'if-none-match') ifNoneMatch = raw[i + 1];
      } else if (name.length === 12) {
        if (name.toLowerCase() === 'x-request-id') idParam = raw[i + 1];
      } else if (name.length === 15) {
        const lower = name.toLowerCase();
        if (lower === 'x-forwarded-for') forwarded = forwarded ? `${forwarded},${raw[i + 1]}` : raw[i + 1];
        else if (lower === 'accept-encoding') accepted = accepted ? `${accepted},${raw[i + 1]}` : raw[i + 1];
      }
    }

    const address = addressOf(request.socket.remoteAddress, forwarded);
    const principal = authenticator.fromCache(authorization, address, request.socket);
    if (principal === undefined || principal.kind === 'server') return false;
    const reply = responses.get(reads.visibility(principal));
    if (reply === undefined || !allows(principal.permissions, reply.permission)) return false;
    const rate = limiter.count(principal, address);
    if (rate.exceeded) return false;

    const encoding = accepted === undefined ? undefined : encodingOf(accepted);
    const encoded = encoding && reply.encoded[encoding];
    // This answer does not wait for its compressed form.
    if (encoding && encoded === undefined) void reads.encode(reply, encoding);
    const { length, bytes } = encoded ?? reply;
    // A client may have the answer from before its compressed form was made.
    const hasPlain = ifNoneMatch !== undefined && isFresh(ifNoneMatch, reply.etag);
    const etag = encoded && !hasPlain ? encoded.etag : reply.etag;
    const fresh = hasPlain || (ifNoneMatch !== undefined && isFresh(ifNoneMatch, etag));
    const id = requestId(idParam);
    const headers: OutgoingHttpHeader[] = [
      'Content-Type',
      reply.type,
      'ETag',
      etag,
      'Cache-Control',
      CACHE_CONTROL,
      'Vary',
      VARY,
      'X-Request-Id',
      id,
      'X-RateLimit-Limit',
      rate.limit,
      'X-RateLimit-Remaining',
      rate.remaining,
      'X-RateLimit-Reset',
      rate.reset,
      'X-Content-Type-Options',
      securityHeaders['X-Content-Type-Options'],
    ];
    if (fresh) {
      reply.unchanged.count++;
      response.writeHead(304, headers).end();
    } else {
      reply.sent.count++;
      headers.push('Content-Length', length);
      if (encoding && encoded) headers.push('Content-Encoding', encoding);
      response.writeHead(200, headers).end(bytes, 'latin1');
    }
    if (isTracing()) recordHotRequest(request, reply.path, fresh ? 304 : 200, principal.accountId);
    if (logs) {
      const { path } = parseTarget(request.url as string);
      log.debug({ request_id: id, method: 'GET', path, status: fresh ? 304 : 200, address }, 'request');
    }
    return true;
  };
}

/** Remembers the last result: most clients send the same header. */
function remembered<Result>(read: (text: string) => Result): (text: string) => Result {
  let last: { readonly text: string; readonly result: Result } | undefined;
  return (text) => {
    if (last?.text !== text) last = { text, result: read(text) };
    return last.result;
  };
}
