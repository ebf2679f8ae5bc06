import type { DatabaseSync } from 'node:sqlite';

/** Host directories that containers have ever been able to write to. They may have created links there. */
export class WrittenPaths {
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  add(path: string): void {
    this.#db.prepare('insert into written_paths (path) values (?) on conflict (path) do nothing').run(path);
  }

  all(): string[] {
    return this.#db
      .prepare('select path from written_paths order by path')
      .all()
      .map(({ path }) => path as string);
  }
}
