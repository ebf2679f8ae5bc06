import type { Permission } from '@hortus/contract/permissions';
import type { Authenticator as Identity, Proof } from '../identity/authenticator.ts';
import { readPageToken } from '../identity/page-token.ts';
import { type Principal, requirePermission } from '../identity/principal.ts';
import { sameOrigin } from '../identity/same-origin.ts';
import { readSessionCookie } from '../identity/session-cookie.ts';
import { Problem } from '../problem.ts';
import type { AllowedHosts } from './allowed-hosts.ts';
import type { RateLimiter, RateState } from './rate-limit.ts';
import type { SecureTransport } from './secure-transport.ts';

/** Authenticates callers. */
export type Authenticator = Pick<Identity, 'authenticate' | 'authenticateKey' | 'fromCache' | 'onChange'>;

export interface AccessControlDeps {
  readonly authenticator: Authenticator;
  readonly limiter: RateLimiter;
  /** Counts wrong keys by address. */
  readonly wrongKeys: RateLimiter;
  readonly publicUrl: string;
  readonly allowedHosts: AllowedHosts;
  /** Tells whether the session cookie of a request is the one for TLS. */
  readonly tlsCookie: SecureTransport;
}

/** Requirements of a route for its caller. */
export interface Access {
  readonly permission: Permission | 'public' | 'session';
  readonly daemon?: boolean | undefined;
  /** False for health checks, which are requested continuously. */
  readonly counted: boolean;
  /** A page for browsers: answered only under allowed host names. */
  readonly page?: true;
}

export interface Visitor {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly address: string;
  readonly host: string | undefined;
  /** The other end of the connection: the caller or a proxy. */
  readonly peer: string | undefined;
  /** The connection of the request. */
  readonly connection: object;
}

/** Result of the checks. Rate and principal are always known; `refusal` is the error to answer with. */
export interface Visit {
  readonly rate: RateState;
  readonly principal: Principal | undefined;
  readonly refusal: unknown;
}

/**
 * Checks every request first, in this order: authentication (401), rate limit (429), authorization (403). Only then is
 * a body read and checked (422). Every request counts, also refused ones: for its account or server, or for its address
 * if it is unauthenticated.
 */
export class AccessControl {
  readonly #deps: AccessControlDeps;
  readonly #authenticator: Authenticator;
  readonly #limiter: RateLimiter;

  constructor(deps: AccessControlDeps) {
    this.#deps = deps;
    this.#authenticator = deps.authenticator;
    this.#limiter = deps.limiter;
  }

  async enter(access: Access, visitor: Visitor): Promise<Visit> {
    let principal: Principal | undefined;
    let refusal: unknown;
    if (access.permission !== 'public') {
      try {
        // Avoids a promise for cached callers.
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

  /** An unknown path requires no authentication, but a known caller is counted as itself. */
  async enterNowhere(visitor: Visitor): Promise<Visit> {
    const principal = this.#known(visitor);
    const rate = this.#limiter.count(principal, visitor.address);
    return { rate, principal, refusal: rate.exceeded ? this.#tooMany(rate) : undefined };
  }

  /**
   * Returns why the caller of an open stream may no longer have it; undefined if it may. Not counted: a stream is one
   * request, and a key that was valid when it was opened is not a guess.
   */
  async recheck(access: Access, visitor: Visitor): Promise<Problem | undefined> {
    try {
      const principal =
        this.#known(visitor) ?? (await this.#authenticator.authenticate(this.#proof(visitor), visitor.address));
      this.#authorize(access, visitor, principal);
      return undefined;
    } catch (error) {
      // An internal error, such as a database that is down, says nothing about the credential.
      if (error instanceof Problem) return error;
      return undefined;
    }
  }

  /** Counts and checks a call that the service makes to itself for a caller it has authenticated. */
  requireInside({ permission }: Pick<Access, 'permission'>, principal: Principal, address: string): void {
    const rate = this.#limiter.count(principal, address);
    if (rate.exceeded) throw this.#tooMany(rate);
    if (permission !== 'session' && permission !== 'public') requirePermission(principal, permission);
  }

  #known({ headers, address, connection }: Visitor): Principal | undefined {
    return this.#authenticator.fromCache(firstValue(headers.authorization), address, connection);
  }

  #proof({ headers, connection, peer }: Visitor): Proof {
    const sessionToken = readSessionCookie(firstValue(headers.cookie), this.#deps.tlsCookie(peer, headers));
    const authorization = firstValue(headers.authorization);
    return { authorization, sessionToken, pageToken: readPageToken(headers), connection };
  }

  async identify(visitor: Visitor): Promise<Principal> {
    const { address, host } = visitor;
    const proof = this.#proof(visitor);
    const principal = await this.#counting(address, (mayLookUp) =>
      this.#authenticator.authenticate(proof, address, mayLookUp),
    );
    if (principal.kind === 'session' && !this.#deps.allowedHosts(host)) throw foreignHost();
    return principal;
  }

  /** Authenticates the caller of a WebSocket. A wrong key counts for the address, as in a request. */
  async identifyKey(key: string, address: string): Promise<Principal> {
    try {
      return await this.#counting(address, (mayLookUp) =>
        this.#authenticator.authenticateKey(key, address, undefined, mayLookUp),
      );
    } catch (error) {
      // An internal error is not counted for the caller.
      if (!(error instanceof Problem)) throw error;
      const rate = this.#limiter.count(undefined, address);
      throw rate.exceeded ? this.#tooMany(rate) : error;
    }
  }

  /** Counts a wrong key. After too many of an address only credentials in memory are taken: the database is not asked for the rest. */
  async #counting(address: string, authenticate: (mayLookUp: () => void) => Promise<Principal>): Promise<Principal> {
    const { wrongKeys } = this.#deps;
    let lookedUp = false;
    const mayLookUp = () => {
      lookedUp = true;
      const rate = wrongKeys.peek(undefined, address);
      if (rate.remaining === 0) throw this.#tooMany(rate);
    };
    try {
      return await authenticate(mayLookUp);
    } catch (error) {
      if (lookedUp && error instanceof Problem && error.code === 'UNAUTHORIZED') wrongKeys.count(undefined, address);
      throw error;
    }
  }

  #authorize({ permission, daemon }: Access, { method, headers }: Visitor, principal: Principal): void {
    if (principal.kind === 'server') {
      if (!daemon) throw new Problem('FORBIDDEN', 'A server key may not call this.');
      return;
    }
    const changes = method !== 'GET' && method !== 'HEAD';
    if (principal.kind === 'session' && changes && !sameOrigin(headers, this.#deps.publicUrl)) {
      throw new Problem(
        'FORBIDDEN',
        'A session is only valid for requests from pages of this service. Programs must use an API key.',
      );
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
  new Problem('FORBIDDEN', 'Host: is not a name of this service. Add it to HORTUS_ALLOWED_HOSTS.');

const firstValue = (header: string | string[] | undefined) => (Array.isArray(header) ? header[0] : header);

function refusalOf(check: () => void): unknown {
  try {
    check();
    return undefined;
  } catch (error) {
    return error;
  }
}
