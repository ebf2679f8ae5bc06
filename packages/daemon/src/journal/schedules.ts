import type { DatabaseSync } from 'node:sqlite';

/** A scheduled job of an instance, and its next due time. */
export interface JournalledSchedule {
  instanceUid: string;
  component: string;
  /** As written in the manifest; a change reschedules the job. */
  schedule: string;
  /** Milliseconds since the epoch. */
  dueAt: number;
  /** Last run, to tell whether it is still active. */
  lastExecution: string | undefined;
}

/** Every method returns after the data is on disk. */
export class Schedules {
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  all(): JournalledSchedule[] {
    return this.#db
      .prepare('select * from schedules order by instance_uid, component')
      .all()
      .map((row) => ({
        instanceUid: row.instance_uid as string,
        component: row.component as string,
        schedule: row.schedule as string,
        dueAt: row.due_at as number,
        lastExecution: (row.last_execution as string | null) ?? undefined,
      }));
  }

  keep({ instanceUid, component, schedule, dueAt, lastExecution }: JournalledSchedule): void {
    this.#db
      .prepare(`insert or replace into schedules (instance_uid, component, schedule, due_at, last_execution)
                values (?, ?, ?, ?, ?)`)
      .run(instanceUid, component, schedule, dueAt, lastExecution ?? null);
  }

  drop({ instanceUid, component }: Pick<JournalledSchedule, 'instanceUid' | 'component'>): void {
    this.#db.prepare('delete from schedules where instance_uid = ? and component = ?').run(instanceUid, component);
  }
}
