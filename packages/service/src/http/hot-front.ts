import type { IncomingMessage, OutgoingHttpHeader, ServerResponse } from 'node:http';
import { allows } from '@hortus/contract/permissions';
import { isTracing } from '@hortus/tracing/span';
import type { Log } from '../log.ts';
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
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    if (request.method !== 'GET') return false;
    const answers = reads.at(request.url as string);
    if (answers === undefined) return false;

    let authorization: string | undefined;
    let ifNoneMatch: string | undefined;
    let givenId: string | undefined;
    let forwarded: string | undefined;
    const raw = request.rawHeaders;
    for (let i = 0; i < raw.length; i += 2) {
      const name = raw[i] as string;
      if (name.length === 13) {
        const lower = name.toLowerCase();
        if (lower === 'authorization') authorization ??= raw[i + 1];
        else if (lower === 'if-none-match') ifNoneMatch = raw[i + 1];
      } else if (name.length === 12) {
        if (name.toLowerCase() === 'x-request-id') givenId = raw[i + 1];
      } else if (name.length === 15) {
        if (name.toLowerCase() === 'x-forwarded-for') forwarded = forwarded ? `${forwarded},${raw[i + 1]}` : raw[i + 1];
      }
    }

    const address = addressOf(request.socket.remoteAddress, forwarded);
    const principal = authenticator.fromCache(authorization, address, request.socket);
    if (principal === undefined || principal.kind === 'server') return false;
    const answer = answers.get(reads.visibility(principal));
    if (answer === undefined || !allows(principal.permissions, answer.permission)) return false;
    const rate = limiter.count(principal, address);
    if (rate.exceeded) return false;

    const fresh = ifNoneMatch !== undefined && isFresh(ifNoneMatch, answer.etag);
    const id = requestId(givenId);
    const headers: OutgoingHttpHeader[] = [
      'Content-Type',
      answer.type,
      'ETag',
      answer.etag,
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
      answer.unchanged.count++;
      response.writeHead(304, headers).end();
    } else {
      answer.sent.count++;
      headers.push('Content-Length', answer.length);
      response.writeHead(200, headers).end(answer.bytes, 'latin1');
    }
    if (isTracing()) recordHotRequest(request, answer.path, fresh ? 304 : 200, principal.accountId);
    if (logs) {
      const { path } = parseTarget(request.url as string);
      log.debug({ request_id: id, method: 'GET', path, status: fresh ? 304 : 200, address }, 'request');
    }
    return true;
  };
}
