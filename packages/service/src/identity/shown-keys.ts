import { hashOf, type KeyKind, kindOfKey, type Mode } from './tokens.ts';

/** Properties of a key that need no query. */
export interface ShownKey {
  readonly token: string;
  /** Undefined if it is not a valid key, or belongs to the other mode. */
  readonly kind: KeyKind | undefined;
  readonly hash: string;
}

/**
 * Caches the last key of each connection, because a client sends the same key with every request. A key is compared
 * only with the previous one of the same connection, so timing reveals nothing.
 */
export class ShownKeys {
  readonly #mode: Mode;
  readonly #last = new WeakMap<object, ShownKey>();

  constructor(mode: Mode) {
    this.#mode = mode;
  }

  read(token: string, connection: object | undefined): ShownKey {
    const last = connection && this.#last.get(connection);
    if (last?.token === token) return last;
    const shown = { token, kind: kindOfKey(token, this.#mode), hash: hashOf(token) };
    if (connection) this.#last.set(connection, shown);
    return shown;
  }
}
