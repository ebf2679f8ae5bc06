import type { Network } from './networks.ts';
import type { Principal } from './principal.ts';

/** Notice with the hash of a key or session that has changed. */
export const KEYS_TOPIC = 'keys';
/** Notice with the id of an account whose plan, users or permissions have changed. */
export const ACCOUNTS_TOPIC = 'accounts';

/** A valid key or session. */
export interface Credential {
  readonly principal: Principal;
  readonly expiresAt: number | null;
  /** Networks from which it is accepted; empty means everywhere. */
  readonly networks: readonly Network[];
  /** Of a session: hash of its page token, without which it is not accepted. */
  readonly pageHash?: string;
}

interface Entry {
  readonly credential: Credential;
  readonly staleAt: number;
}

/** A notice invalidates an entry at once; this is the fallback for lost notices. */
const LIVES_MS = 30_000;
const MAX_KEPT = 10_000;

/** Caches valid credentials by hash, so that requests need no query to authenticate. */
export class CredentialCache {
  readonly #entries = new Map<string, Entry>();
  #generation = 0;

  get(hash: string, now: number): Credential | undefined {
    const entry = this.#entries.get(hash);
    return entry && entry.staleAt > now ? entry.credential : undefined;
  }

  /** Take a ticket before the query; see `put`. */
  ticket(): number {
    return this.#generation;
  }

  /**
   * Stores the result of a query, unless something was dropped since the ticket was taken: the result may then be
   * stale, and a key that was revoked in between must not become valid again.
   */
  put(hash: string, credential: Credential, now: number, ticket: number): void {
    if (ticket !== this.#generation) return;
    // Reinsert a renewed entry at the end, so that the first entry is the least recently renewed.
    this.#entries.delete(hash);
    if (this.#entries.size >= MAX_KEPT) {
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
