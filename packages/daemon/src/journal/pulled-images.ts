import type { DatabaseSync } from 'node:sqlite';

/** Images that we pulled onto this server; only these may be removed. */
export class PulledImages {
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  add(image: string): void {
    this.#db.prepare('insert into pulled_images (image) values (?) on conflict (image) do nothing').run(image);
  }

  all(): string[] {
    return this.#db
      .prepare('select image from pulled_images order by image')
      .all()
      .map(({ image }) => image as string);
  }

  forget(image: string): void {
    this.#db.prepare('delete from pulled_images where image = ?').run(image);
  }
}
