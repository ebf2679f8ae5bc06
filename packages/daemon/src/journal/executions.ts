import type { DatabaseSync } from 'node:sqlite';
import type { ActionOutcome, ActionRequest } from '../actions/action.ts';
import type { Runner } from '../actions/runner.ts';

export interface JournalledExecution {
  id: string;
  request: ActionRequest;
  phase: 'received' | 'started' | 'finished';
  /** Who carries it out, so that a restarted daemon finds it again. */
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

/** Every method returns after the disk has it. */
export class Executions {
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** For what has to wait before it starts. */
  receive(request: ActionRequest, now: number): void {
    this.#db
      .prepare(`insert into executions (id, request, phase, received_at) values (?, ?, 'received', ?)
                on conflict (id) do nothing`)
      .run(request.execution_id, JSON.stringify(request), now);
  }

  /** Must have returned before anything is done. What starts at once is received by the same write. */
  start(request: ActionRequest, runner: Runner, now: number): void {
    this.#db
      .prepare(`insert into executions (id, request, phase, runner, received_at) values (?, ?, 'started', ?, ?)
                on conflict (id) do update set phase = 'started', runner = excluded.runner where phase <> 'finished'`)
      .run(request.execution_id, JSON.stringify(request), JSON.stringify(runner), now);
  }

  /** A result stands once it is written; a later one is not believed. */
  finish(id: string, outcome: ActionOutcome, now: number): boolean {
    const { changes } = this.#db
      .prepare(`update executions set phase = 'finished', outcome = ?, finished_at = ?
                where id = ? and phase <> 'finished'`)
      .run(JSON.stringify(outcome), now, id);
    return changes > 0;
  }

  reported(id: string): void {
    this.#db.prepare(`update executions set reported = 1 where id = ? and phase = 'finished'`).run(id);
  }

  find(id: string): JournalledExecution | undefined {
    const row = this.#db.prepare('select * from executions where id = ?').get(id);
    return row && read(row as unknown as Row);
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
    return (this.#db.prepare(sql).all() as unknown as Row[]).map(read);
  }
}

function read(row: Row): JournalledExecution {
  return {
    id: row.id,
    request: JSON.parse(row.request),
    phase: row.phase,
    runner: row.runner === null ? undefined : JSON.parse(row.runner),
    outcome: row.outcome === null ? undefined : JSON.parse(row.outcome),
    reported: row.reported === 1,
    receivedAt: row.received_at,
  };
}
