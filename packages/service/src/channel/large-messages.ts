import type { Connection } from './connection.ts';

/** Bytes that each connection may have received without an end of their message, and that it may queue. */
export const SMALL_MESSAGE = 256 * 1024;
/** Larger messages of one account that may be in flight, from their first bytes until they are handled. */
const MAX_LARGE = 4;

/**
 * Limits the memory and the work that the large messages of one account cause, however many connections it has: the others are
 * not read until one of the large messages has been handled.
 */
export class LargeMessages {
  /** By account, in the order of their arrival. */
  readonly #accounts = new Map<string, Set<Connection>>();

  /** Call with the bytes of an unfinished message. The connection is read only while it is among the first. */
  received(connection: Connection, bytes: number): void {
    if (bytes <= SMALL_MESSAGE || connection.accountId === '') return;
    const waiting = this.#accounts.get(connection.accountId) ?? new Set();
    this.#accounts.set(connection.accountId, waiting);
    if (waiting.has(connection)) return;
    waiting.add(connection);
    if (waiting.size > MAX_LARGE) connection.hold('account');
  }

  /** Call when the messages of the connection have been handled, or when it is closed. */
  handled(connection: Connection): void {
    const waiting = this.#accounts.get(connection.accountId);
    if (!waiting?.delete(connection)) return;
    connection.release('account');
    let first = 0;
    for (const next of waiting) {
      if (++first > MAX_LARGE) break;
      next.release('account');
    }
    if (waiting.size === 0) this.#accounts.delete(connection.accountId);
  }
}
