import type { DatabaseSync } from 'node:sqlite';

/** `journal` is a random name of the journal itself; `journal_key` is a known text, encrypted, to recognise the key by. */
type Pinned = 'manifest_public_key' | 'server_id' | 'journal' | 'journal_key';

/** What was believed at first sight and must not change silently afterwards. */
export class Pins {
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** The pinned value, which is `value` only if nothing was pinned before. */
  pin(name: Pinned, value: string): string {
    this.#db.prepare('insert into pinned (name, value) values (?, ?) on conflict (name) do nothing').run(name, value);
    return this.find(name) ?? value;
  }

  find(name: Pinned): string | undefined {
    return this.#db.prepare('select value from pinned where name = ?').get(name)?.value as string | undefined;
  }
}
