import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import type { Rows } from '../session.ts';
import { type RowOf, rowMaker } from './row-maker.ts';

interface Prepared {
  readonly statement: StatementSync;
  /** Undefined for statements without results. */
  readonly rowOf: RowOf | undefined;
}

/** There are few texts (compiled statements and list filters), so a bounded map is sufficient. */
const MAX_PREPARED = 500;

/** One connection of `node:sqlite` with its prepared statements. Synchronous, which makes it fast. */
export class SqliteConnection {
  readonly #db: DatabaseSync;
  readonly #prepared = new Map<string, Prepared>();

  constructor(file: string, options: { readOnly: boolean }) {
    this.#db = new DatabaseSync(file, { readOnly: options.readOnly, timeout: 5_000 });
    // With the default of 2 MB, every insert would read index pages again once the database is larger.
    this.#db.exec('pragma cache_size = -32768;');
    if (options.readOnly) return;
    // WAL allows reads during a commit. NORMAL syncs what a checkpoint needs; LogSync makes commits survive a power
    // loss, and not only a crash of the process.
    this.#db.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on;');
    // A last resort: a thread copies the log earlier; see checkpoints.ts.
    this.#db.exec('pragma wal_autocheckpoint = 16384;');
  }

  run(text: string, parameters: readonly unknown[]): Rows {
    const { statement, rowOf } = this.#prepare(text);
    const values = parameters as SQLInputValue[];
    if (rowOf) {
      const rows = (statement.all(...values) as unknown as SQLOutputValue[][]).map(rowOf);
      return { rows, changed: rows.length };
    }
    return { rows: [], changed: Number(statement.run(...values).changes) };
  }

  /** False after SQLite has rolled back by itself, for example because the disk is full. */
  get inTransaction(): boolean {
    return this.#db.isTransaction;
  }

  close(): void {
    this.#prepared.clear();
    this.#db.close();
  }

  #prepare(text: string): Prepared {
    const known = this.#prepared.get(text);
    if (known) return known;
    if (this.#prepared.size >= MAX_PREPARED) {
      const [oldest] = this.#prepared.keys();
      if (oldest !== undefined) this.#prepared.delete(oldest);
    }
    const statement = this.#db.prepare(text);
    const columns = statement.columns();
    if (columns.length > 0) statement.setReturnArrays(true);
    const prepared = { statement, rowOf: columns.length > 0 ? rowMaker(columns) : undefined };
    this.#prepared.set(text, prepared);
    return prepared;
  }
}
