import { hashOf, type KeyKind, kindOfKey, type Mode } from './tokens.ts';

/** What can be said of a key without asking anybody. */
export interface ShownKey {
  readonly token: string;
  /** Undefined when it has not the form of one, or is of the other mode. */
  readonly kind: KeyKind | undefined;
  readonly hash: string;
}

/**
 * The key that each connection showed last, worked out once: whoever keeps a connection open shows the same one with every
 * request. A text is compared only with what came over the same connection before, so how long that takes tells nobody
 * anything new.
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
