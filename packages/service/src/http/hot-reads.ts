import type { IncomingMessage, ServerResponse } from 'node:http';
import { allows, type Permission } from '@hortus/contract/permissions';
import type { Principal } from '../identity/principal.ts';
import type { Log } from '../log.ts';
import type { Metrics, Tally } from '../metrics.ts';
import type { CallerAddress } from './caller-address.ts';
import type { Authenticator } from './gate.ts';
import { isFresh, type Prepared } from './prepared.ts';
import type { RateLimiter } from './rate-limit.ts';
import { requestId } from './request-id.ts';
import { securityHeaders } from './security-headers.ts';

/** What hot answers depend on, besides their address. */
export interface HotSource {
  /** Changes whenever any hot answer may have changed. */
  version(): number | string;
  /** Callers that see the same things share answers: '' for whoever sees only what everybody sees. */
  visibility(principal: Principal): string;
}

interface HotAnswer extends Prepared {
  /** The body with one character for each byte: Node sends head and body as one string, in one write. */
  readonly bytes: string;
  readonly permission: Permission;
  readonly sent: Tally;
  readonly unchanged: Tally;
}

const MOST_BYTES = 32 * 1024 * 1024;
const LONGEST_URL = 512;

/** Private, because what is answered depends on the caller; the minute is the published one. */
export const CACHE_CONTROL = 'private, max-age=60';
export const VARY = 'Authorization, Cookie';

/** The prepared answers, by address and by what the caller may see. All of one version; bounded by their size. */
export class HotReads {
  readonly #source: HotSource;
  readonly #metrics: Metrics;
  readonly #answers = new Map<string, Map<string, HotAnswer>>();
  #version: number | string;
  #bytes = 0;

  constructor(source: HotSource, metrics: Metrics) {
    this.#source = source;
    this.#metrics = metrics;
    this.#version = source.version();
  }

  get version(): number | string {
    const version = this.#source.version();
    if (version !== this.#version) {
      this.#answers.clear();
      this.#bytes = 0;
      this.#version = version;
    }
    return version;
  }

  at(url: string): ReadonlyMap<string, HotAnswer> | undefined {
    this.version;
    return this.#answers.get(url);
  }

  visibility(principal: Principal): string {
    return this.#source.visibility(principal);
  }

  /** Keeps an answer that was computed at `version`, unless things have changed since. */
  keep(
    request: { url: string; principal: Principal; version: number | string },
    answer: Prepared & { readonly endpoint: string; readonly permission: Permission },
  ): void {
    if (request.version !== this.version || request.url.length > LONGEST_URL || answer.body.length > MOST_BYTES) return;
    const { body, type, etag, length, permission, endpoint } = answer;
    while (this.#bytes + body.length > MOST_BYTES) this.#forgetOldest();
    const byVisibility = this.#answers.get(request.url) ?? new Map<string, HotAnswer>();
    const visibility = this.#source.visibility(request.principal);
    this.#bytes += body.length - (byVisibility.get(visibility)?.body.length ?? 0);
    const [sent, unchanged] = [this.#metrics.tally(endpoint, 200), this.#metrics.tally(endpoint, 304)];
    const bytes = body.toString('latin1');
    byVisibility.set(visibility, { body, bytes, type, etag, length, permission, sent, unchanged });
    this.#answers.set(request.url, byVisibility);
  }

  #forgetOldest(): void {
    for (const [url, answers] of this.#answers) {
      this.#answers.delete(url);
      for (const { body } of answers.values()) this.#bytes -= body.length;
      return;
    }
  }
}

export interface FrontParts {
  readonly reads: HotReads;
  readonly authenticator: Authenticator;
  readonly limiter: RateLimiter;
  readonly addressOf: CallerAddress;
  readonly log: Log;
}

/**
 * Stands in front of the router and answers what needs neither thought nor waiting: a GET whose answer is prepared, from
 * a caller who is known, permitted and within its limit. Everything else, every refusal too, is the router's: false.
 * Headers are read where the parser put them and written in one go, because at this speed those are the costs.
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
    const principal = authenticator.fromCache(authorization, address);
    if (principal === undefined || principal.kind === 'server') return false;
    const answer = answers.get(reads.visibility(principal));
    if (answer === undefined || !allows(principal.permissions, answer.permission)) return false;
    const rate = limiter.count(principal, address);
    if (rate.exceeded) return false;

    const fresh = ifNoneMatch !== undefined && isFresh(ifNoneMatch, answer.etag);
    const id = requestId(givenId);
    const headers = [
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
      rate.limit as never,
      'X-RateLimit-Remaining',
      rate.remaining as never,
      'X-RateLimit-Reset',
      rate.reset as never,
      'X-Content-Type-Options',
      securityHeaders['X-Content-Type-Options'],
      'Referrer-Policy',
      securityHeaders['Referrer-Policy'],
      'Content-Security-Policy',
      securityHeaders['Content-Security-Policy'],
    ];
    if (fresh) {
      answer.unchanged.count++;
      response.writeHead(304, headers).end();
    } else {
      answer.sent.count++;
      headers.push('Content-Length', answer.length);
      response.writeHead(200, headers).end(answer.body);
    }
    if (logs)
      log.debug({ request_id: id, method: 'GET', path: request.url, status: fresh ? 304 : 200, address }, 'request');
    return true;
  };
}
