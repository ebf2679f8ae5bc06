import type { DatabaseSync } from 'node:sqlite';

/** `journal` is a random id of the journal; `journal_key` is an encrypted known text that identifies the key. */
type Pinned = 'manifest_public_key' | 'server_id' | 'journal' | 'journal_key';

/** Values trusted on first use, which must not change silently afterwards. */
export class Pins {
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Pins `value` unless one is pinned already; returns the pinned one. */
  pin(name: Pinned, value: string): string {
    this.#db.prepare('insert into pinned (name, value) values (?, ?) on conflict (name) do nothing').run(name, value);
    return this.find(name) ?? value;
  }

  find(name: Pinned): string | undefined {
    return this.#db.prepare('select value from pinned where name = ?').get(name)?.value as string | undefined;
  }
}
