import type { DatabaseSync } from 'node:sqlite';
import type { ActionOutcome, ActionRequest } from './action.ts';
import { placeOf } from './encrypt-journal.ts';
import type { JournalCipher } from './journal-cipher.ts';
import type { Runner } from './runner.ts';

const REQUEST = { table: 'executions', column: 'request' } as const;
const OUTCOME = { table: 'executions', column: 'outcome' } as const;

export interface JournalledExecution {
  id: string;
  request: ActionRequest;
  phase: 'received' | 'started' | 'finished';
  /** What runs it, so that a restarted daemon can find it. */
  runner: Runner | undefined;
  outcome: ActionOutcome | undefined;
  reported: boolean;
  receivedAt: number;
}

interface Row {
  id: string;
  request: string;
  phase: JournalledExecution['phase'];
  runner: string | null;
  outcome: string | null;
  reported: number;
  received_at: number;
}

/** Every method returns after the data is on disk. */
export class Executions {
  readonly #db: DatabaseSync;
  readonly #cipher: JournalCipher;

  constructor(db: DatabaseSync, cipher: JournalCipher) {
    this.#db = db;
    this.#cipher = cipher;
  }

  /** Records an execution that has to wait before it starts. */
  receive(request: ActionRequest, now: number): void {
    this.#db
      .prepare(`insert into executions (id, request, phase, received_at) values (?, ?, 'received', ?)
                on conflict (id) do nothing`)
      .run(request.execution_id, this.#sealed(REQUEST, request.execution_id, request), now);
  }

  /** Must return before anything is done. Also receives executions that start at once. */
  start(request: ActionRequest, runner: Runner, now: number): void {
    this.#db
      .prepare(`insert into executions (id, request, phase, runner, received_at) values (?, ?, 'started', ?, ?)
                on conflict (id) do update set phase = 'started', runner = excluded.runner where phase <> 'finished'`)
      .run(request.execution_id, this.#sealed(REQUEST, request.execution_id, request), JSON.stringify(runner), now);
  }

  /** Stores the outcome; the first one is final. */
  finish(id: string, outcome: ActionOutcome, now: number): boolean {
    const { changes } = this.#db
      .prepare(`update executions set phase = 'finished', outcome = ?, finished_at = ?
                where id = ? and phase <> 'finished'`)
      .run(this.#sealed(OUTCOME, id, outcome), now, id);
    return changes > 0;
  }

  reported(id: string): void {
    this.#db.prepare(`update executions set reported = 1 where id = ? and phase = 'finished'`).run(id);
  }

  find(id: string): JournalledExecution | undefined {
    const row = this.#db.prepare('select * from executions where id = ?').get(id);
    return row && this.#read(row as unknown as Row);
  }

  unfinished(): JournalledExecution[] {
    return this.#all(`select * from executions where phase <> 'finished' order by received_at`);
  }

  unreported(): JournalledExecution[] {
    return this.#all(`select * from executions where phase = 'finished' and reported = 0 order by finished_at`);
  }

  forgetBefore(time: number): void {
    this.#db.prepare(`delete from executions where phase = 'finished' and reported = 1 and finished_at < ?`).run(time);
  }

  #all(sql: string): JournalledExecution[] {
    return (this.#db.prepare(sql).all() as unknown as Row[]).map((row) => this.#read(row));
  }

  #sealed(column: typeof REQUEST | typeof OUTCOME, id: string, value: object): string {
    return this.#cipher.encrypt(JSON.stringify(value), placeOf(column, id));
  }

  #read(row: Row): JournalledExecution {
    const opened = (column: typeof REQUEST | typeof OUTCOME, text: string) =>
      JSON.parse(this.#cipher.decrypt(text, placeOf(column, row.id)));
    return {
      id: row.id,
      request: opened(REQUEST, row.request),
      phase: row.phase,
      runner: row.runner === null ? undefined : JSON.parse(row.runner),
      outcome: row.outcome === null ? undefined : opened(OUTCOME, row.outcome),
      reported: row.reported === 1,
      receivedAt: row.received_at,
    };
  }
}
