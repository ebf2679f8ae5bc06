import type { Bus } from '../bus/bus.ts';
import { Problem, unauthorized } from '../problem.ts';
import type { Storage } from '../storage/storage.ts';
import { ACCOUNTS_TOPIC, type Credential, CredentialCache, KEYS_TOPIC } from './credential-cache.ts';
import { serverCredential, sessionCredential, userKeyCredential } from './credentials.ts';
import { LastUse } from './last-use.ts';
import { isWithin } from './networks.ts';
import { isPageToken, noPageToken } from './page-token.ts';
import type { Principal } from './principal.ts';
import { ShownKeys } from './shown-keys.ts';
import { hashOf, type Mode } from './tokens.ts';

export { ACCOUNTS_TOPIC, KEYS_TOPIC };

export interface AuthenticatorDeps {
  readonly storage: Storage;
  readonly bus: Bus;
  readonly mode: Mode;
  /** Idle time after which a session ends. */
  readonly sessionIdleMs: number;
  /** Milliseconds since 1970; tests pass their own. */
  readonly clock?: () => number;
}

/** Credentials of a request. The header takes precedence over the cookie, even if it is invalid. */
export interface Proof {
  readonly authorization: string | undefined;
  readonly sessionToken: string | undefined;
  /** The second half of the session. */
  readonly pageToken: string | undefined;
  /** The connection of the request, if it can carry further requests. */
  readonly connection?: object | undefined;
}

const BEARER = 'bearer ';

/** Authenticates callers. Caches results until the bus reports a change. */
export class Authenticator {
  readonly #storage: Storage;
  readonly #shown: ShownKeys;
  readonly #clock: () => number;
  readonly #cache = new CredentialCache();
  readonly #lastUse: LastUse;
  readonly #sessionIdleMs: number;
  readonly #unsubscribe: readonly (() => void)[];
  readonly #listeners: (() => void)[] = [];

  constructor({ storage, bus, mode, sessionIdleMs, clock = Date.now }: AuthenticatorDeps) {
    this.#sessionIdleMs = sessionIdleMs;
    this.#storage = storage;
    this.#shown = new ShownKeys(mode);
    this.#clock = clock;
    this.#lastUse = new LastUse(storage);
    this.#unsubscribe = [
      bus.subscribe(KEYS_TOPIC, (hash) => this.#changed(() => this.#cache.drop(hash))),
      bus.subscribe(ACCOUNTS_TOPIC, (accountId) => this.#changed(() => this.#cache.dropAccount(accountId))),
    ];
    bus.onGap(() => this.#changed(() => this.#cache.clear()));
  }

  /** Calls the listener when a credential may have become invalid or lost a permission. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Returns the caller of a cached, valid key without a query. Undefined means unknown; call `authenticate` then. */
  fromCache(authorization: string | undefined, address: string, connection?: object): Principal | undefined {
    const token = bearerOf(authorization);
    if (token === undefined) return undefined;
    const now = this.#clock();
    const credential = this.#cache.get(this.#shown.read(token, connection).hash, now);
    // A session is accepted only by its cookie, because the check of the origin depends on that.
    if (!credential || credential.principal.kind === 'session' || refusal(credential, now, address)) return undefined;
    return this.#use(credential, now);
  }

  /** `mayLookUp` throws to refuse a credential that only the database could tell. */
  async authenticate(proof: Proof, address: string, mayLookUp: () => void = always): Promise<Principal> {
    if (proof.authorization === undefined && proof.sessionToken !== undefined) {
      return await this.#authenticateSession(proof.sessionToken, proof.pageToken, address, mayLookUp);
    }
    const token = bearerOf(proof.authorization);
    if (token === undefined) throw unauthorized();
    return await this.authenticateKey(token, address, proof.connection, mayLookUp);
  }

  /** Authenticates a user or server key, such as that of the first message of a channel. */
  async authenticateKey(
    token: string,
    address: string,
    connection?: object,
    mayLookUp: () => void = always,
  ): Promise<Principal> {
    const { kind, hash } = this.#shown.read(token, connection);
    if (!kind) throw unauthorized();
    const ask = kind === 'key' ? userKeyCredential : serverCredential;
    return this.#use(await this.#find(hash, ask, address, mayLookUp), this.#clock());
  }

  /** Whether a key that was accepted earlier still is; also while the database does not answer. */
  async isValid(token: string, address: string): Promise<boolean> {
    try {
      await this.authenticateKey(token, address);
      return true;
    } catch (error) {
      return !(error instanceof Problem);
    }
  }

  /** Writes when keys were last used; also happens every half minute. */
  flush(): Promise<void> {
    return this.#lastUse.flush();
  }

  /** Must be called before the storage is closed. */
  async close(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await this.#lastUse.close();
  }

  #changed(drop: () => void): void {
    drop();
    for (const listener of this.#listeners) listener();
  }

  /** Another port of the host receives the cookie, so it proves nothing alone, and does not extend the session. */
  async #authenticateSession(
    token: string,
    pageToken: string | undefined,
    address: string,
    mayLookUp: () => void,
  ): Promise<Principal> {
    if (pageToken === undefined) throw noPageToken();
    const credential = await this.#find(hashOf(token), this.#sessionCredential, address, mayLookUp);
    if (credential.principal.kind !== 'session') throw unauthorized();
    if (!isPageToken(pageToken, credential.pageHash)) throw noPageToken();
    return this.#use(credential, this.#clock());
  }

  readonly #sessionCredential: Asking = (storage, hash) =>
    sessionCredential(storage, hash, { idleMs: this.#sessionIdleMs, seenAt: (id) => this.#lastUse.at(id) });

  async #find(hash: string, ask: Asking, address: string, mayLookUp: () => void): Promise<Credential> {
    const now = this.#clock();
    let credential = this.#cache.get(hash, now);
    if (!credential) {
      mayLookUp();
      const ticket = this.#cache.ticket();
      credential = await ask(this.#storage, hash);
      if (!credential) throw unauthorized();
      this.#cache.put(hash, credential, now, ticket);
    }
    const reason = refusal(credential, now, address);
    if (reason) throw unauthorized(reason);
    return credential;
  }

  #use({ principal }: Credential, now: number): Principal {
    if (principal.kind !== 'server') this.#lastUse.saw(principal.id, now);
    return principal;
  }
}

const always = () => {};

type Asking = (storage: Storage, hash: string) => Promise<Credential | undefined>;

function bearerOf(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  const scheme = authorization.slice(0, BEARER.length);
  if (scheme !== 'Bearer ' && scheme.toLowerCase() !== BEARER) return undefined;
  return authorization.slice(BEARER.length).trim();
}

function refusal({ expiresAt, networks }: Credential, now: number, address: string): string | undefined {
  if (expiresAt !== null && expiresAt <= now) return 'The API key or session has expired.';
  if (networks.length > 0 && !isWithin(address, networks)) return 'The API key is not valid from this address.';
  return undefined;
}
