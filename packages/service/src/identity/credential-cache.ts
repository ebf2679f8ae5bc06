import type { Network } from './networks.ts';
import type { Principal } from './principal.ts';

/** Told with the hash of a key or session that is no longer what it was. */
export const KEYS_TOPIC = 'keys';
/** Told with the id of an account whose plan, users or their permissions have changed. */
export const ACCOUNTS_TOPIC = 'accounts';

/** What is known of a key or session that is in order. */
export interface Credential {
  readonly principal: Principal;
  readonly expiresAt: number | null;
  /** Where it may be used from; empty means from everywhere. */
  readonly networks: readonly Network[];
}

interface Entry {
  readonly credential: Credential;
  readonly staleAt: number;
}

/** A notice ends an entry at once; this is for the notice that never came. */
const LIVES_MS = 30_000;
const MOST_KEPT = 10_000;

/** Credentials by hash, so that a request need not ask the database who is calling. Only valid ones are kept. */
export class CredentialCache {
  readonly #entries = new Map<string, Entry>();
  #generation = 0;

  get(hash: string, now: number): Credential | undefined {
    const entry = this.#entries.get(hash);
    return entry && entry.staleAt > now ? entry.credential : undefined;
  }

  /** Taken before the database is asked; see `put`. */
  ticket(): number {
    return this.#generation;
  }

  /**
   * Keeps what the database said, unless something was dropped since the ticket was taken: then the answer may be older
   * than the news, and a key that was revoked in between must not come back to life.
   */
  put(hash: string, credential: Credential, now: number, ticket: number): void {
    if (ticket !== this.#generation) return;
    // A renewed entry goes to the end of the line, so the first in line is the one renewed longest ago.
    this.#entries.delete(hash);
    if (this.#entries.size >= MOST_KEPT) {
      const [oldest] = this.#entries.keys();
      if (oldest !== undefined) this.#entries.delete(oldest);
    }
    this.#entries.set(hash, { credential, staleAt: now + LIVES_MS });
  }

  drop(hash: string): void {
    this.#generation++;
    this.#entries.delete(hash);
  }

  dropAccount(accountId: string): void {
    this.#generation++;
    for (const [hash, { credential }] of this.#entries) {
      if (credential.principal.accountId === accountId) this.#entries.delete(hash);
    }
  }

  clear(): void {
    this.#generation++;
    this.#entries.clear();
  }
}
