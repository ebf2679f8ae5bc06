import type { DatabaseSync } from 'node:sqlite';

/** `journal` is the name of the journal itself, made up when it was first asked for. */
type Pinned = 'manifest_public_key' | 'server_id' | 'journal';

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
