import type { DatabaseSync } from 'node:sqlite';

/** Containers that were stopped temporarily and must run again, in start order. */
export interface JournalledPause {
  instanceUid: string;
  containers: string[];
}

/** Remembers what was stopped, until it runs again: the journal of a server, or the store of a Swarm. */
export interface PauseRecords {
  begin(pause: JournalledPause): void | Promise<void>;
  all(): JournalledPause[] | Promise<JournalledPause[]>;
  end(instanceUid: string): void | Promise<void>;
}

/** Every method returns after the data is on disk. */
export class Pauses implements PauseRecords {
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  begin({ instanceUid, containers }: JournalledPause): void {
    this.#db
      .prepare('insert or replace into pauses (instance_uid, containers) values (?, ?)')
      .run(instanceUid, JSON.stringify(containers));
  }

  all(): JournalledPause[] {
    return this.#db
      .prepare('select * from pauses order by instance_uid')
      .all()
      .map((row) => ({
        instanceUid: row.instance_uid as string,
        containers: JSON.parse(row.containers as string) as string[],
      }));
  }

  end(instanceUid: string): void {
    this.#db.prepare('delete from pauses where instance_uid = ?').run(instanceUid);
  }
}
