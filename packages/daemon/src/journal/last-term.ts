import type { DatabaseSync } from 'node:sqlite';

/** The last epoch in which this daemon led its cluster. */
export class LastTerm {
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Undefined if it never led. */
  epoch(): number | undefined {
    return this.#db.prepare('select epoch from last_term').get()?.epoch as number | undefined;
  }

  begin(epoch: number): void {
    this.#db
      .prepare(
        'insert into last_term (only, epoch) values (1, ?) on conflict (only) do update set epoch = excluded.epoch',
      )
      .run(epoch);
  }
}
