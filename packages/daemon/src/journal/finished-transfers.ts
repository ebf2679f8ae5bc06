import type { DatabaseSync } from 'node:sqlite';
import type { TransferReport } from '@hortus/contract/resources/transfers';

/** How this end of a transfer ended, as it is reported. */
export type TransferOutcome = Omit<TransferReport, 'ticket'>;

/** Older ones are forgotten. Orders are bound to the request that asked for them, so that forgetting admits no replay. */
const MAX_REMEMBERED = 10_000;

/** Remembers the transfers that this daemon has finished, so that it carries none out again. */
export class FinishedTransfers {
  readonly #db: DatabaseSync;
  readonly #max: number;

  constructor(db: DatabaseSync, max = MAX_REMEMBERED) {
    this.#db = db;
    this.#max = max;
  }

  /** Returns after the outcome is on disk; the first one is final. */
  finish(id: string, outcome: TransferOutcome): void {
    this.#db
      .prepare('insert into finished_transfers (id, outcome) values (?, ?) on conflict (id) do nothing')
      .run(id, JSON.stringify(outcome));
    this.#db
      .prepare('delete from finished_transfers where number <= (select max(number) from finished_transfers) - ?')
      .run(this.#max);
  }

  find(id: string): TransferOutcome | undefined {
    const row = this.#db.prepare('select outcome from finished_transfers where id = ?').get(id);
    return row && JSON.parse(row.outcome as string);
  }
}
