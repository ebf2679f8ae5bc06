import type { Permission } from '@hortus/contract/permissions';
import type { Authenticator as Identity } from '../identity/authenticator.ts';
import { type Principal, requirePermission } from '../identity/principal.ts';
import { sameOrigin } from '../identity/same-origin.ts';
import { readSessionCookie } from '../identity/session-cookie.ts';
import { Problem } from '../problem.ts';
import type { AllowedHosts } from './allowed-hosts.ts';
import type { RateLimiter, RateState } from './rate-limit.ts';
import type { SecureTransport } from './secure-transport.ts';

/** Finds out who is calling. */
export type Authenticator = Pick<Identity, 'authenticate' | 'authenticateKey' | 'fromCache'>;

export interface GateDeps {
  readonly authenticator: Authenticator;
  readonly limiter: RateLimiter;
  readonly publicUrl: string;
  readonly allowedHosts: AllowedHosts;
  /** Whether the session cookie of a request is the one for TLS. */
  readonly tlsCookie: SecureTransport;
}

/** What a route asks of its caller. */
export interface Access {
  readonly permission: Permission | 'public' | 'session';
  readonly daemon?: boolean | undefined;
  /** False for what is asked by machines all the time to see whether we are there. */
  readonly counted: boolean;
  /** For browsers: it answers only under names that are ours. */
  readonly page?: true;
}

export interface Visitor {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly address: string;
  readonly host: string | undefined;
  /** The other end of the connection, be it the caller or a proxy. */
  readonly peer: string | undefined;
  /** What the request came over. */
  readonly connection: object;
}

/** Rate and principal are known however the visit ends; `refusal` says that it ends here. */
export interface Visit {
  readonly rate: RateState;
  readonly principal: Principal | undefined;
  readonly refusal: unknown;
}

/**
 * Every request passes here first, in this order: who is it (401), is there any left of its minute (429), may it do this
 * (403). Only then is a body read and checked (422). Each request counts, refused ones too: on the account or server that
 * it proved to be, on its address where it proved nothing.
 */
export class Gate {
  readonly #deps: GateDeps;
  readonly #authenticator: Authenticator;
  readonly #limiter: RateLimiter;

  constructor(deps: GateDeps) {
    this.#deps = deps;
    this.#authenticator = deps.authenticator;
    this.#limiter = deps.limiter;
  }

  async enter(access: Access, visitor: Visitor): Promise<Visit> {
    let principal: Principal | undefined;
    let refusal: unknown;
    if (access.permission !== 'public') {
      try {
        // Whoever is known need not wait for a promise.
        principal = this.#known(visitor) ?? (await this.identify(visitor));
      } catch (error) {
        refusal = error;
      }
    }
    if (access.page && !this.#deps.allowedHosts(visitor.host)) refusal = foreignHost();
    const rate = this.#limiter[access.counted ? 'count' : 'peek'](principal, visitor.address);
    if (rate.exceeded) refusal = this.#tooMany(rate);
    refusal ??= principal && refusalOf(() => this.#authorize(access, visitor, principal));
    return { rate, principal, refusal };
  }

  /** An unknown path asks nothing of its caller, but a known caller is counted as itself. */
  async enterNowhere(visitor: Visitor): Promise<Visit> {
    const principal = this.#known(visitor);
    const rate = this.#limiter.count(principal, visitor.address);
    return { rate, principal, refusal: rate.exceeded ? this.#tooMany(rate) : undefined };
  }

  #known({ headers, address, connection }: Visitor): Principal | undefined {
    return this.#authenticator.fromCache(one(headers.authorization), address, connection);
  }

  async identify({ headers, address, host, connection, peer }: Visitor): Promise<Principal> {
    const sessionToken = readSessionCookie(one(headers.cookie), this.#deps.tlsCookie(peer, headers));
    const proof = { authorization: one(headers.authorization), sessionToken, connection };
    const principal = await this.#authenticator.authenticate(proof, address);
    if (principal.kind === 'session' && !this.#deps.allowedHosts(host)) throw foreignHost();
    return principal;
  }

  /** Identifies the caller of a WebSocket. A wrong key counts for the address, as it does in a request. */
  async identifyKey(key: string, address: string): Promise<Principal> {
    try {
      return await this.#authenticator.authenticateKey(key, address);
    } catch (error) {
      // A fault of the service is not the caller's.
      if (!(error instanceof Problem)) throw error;
      const rate = this.#limiter.count(undefined, address);
      throw rate.exceeded ? this.#tooMany(rate) : error;
    }
  }

  #authorize({ permission, daemon }: Access, { method, headers }: Visitor, principal: Principal): void {
    if (principal.kind === 'server') {
      if (!daemon) throw new Problem('FORBIDDEN', 'A server key may not call this.');
      return;
    }
    const changes = method !== 'GET' && method !== 'HEAD';
    if (principal.kind === 'session' && changes && !sameOrigin(headers, this.#deps.publicUrl)) {
      throw new Problem('FORBIDDEN', 'A session is good only for requests of our own pages. Programs use API keys.');
    }
    if (permission !== 'session' && permission !== 'public') requirePermission(principal, permission);
  }

  #tooMany({ limit }: RateState): Problem {
    const retry_after = this.#limiter.secondsLeft;
    const message = `More than ${limit} requests in this minute. Wait ${retry_after} seconds.`;
    return new Problem('RATE_LIMITED', message, { limit, retry_after });
  }
}

const foreignHost = () =>
  new Problem('FORBIDDEN', 'Host: this service does not go by that name. HORTUS_ALLOWED_HOSTS adds names.');

const one = (header: string | string[] | undefined) => (Array.isArray(header) ? header[0] : header);

function refusalOf(check: () => void): unknown {
  try {
    check();
    return undefined;
  } catch (error) {
    return error;
  }
}
