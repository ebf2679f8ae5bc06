import type { SqliteConnection } from './connection.ts';
import type { SqliteThread } from './sqlite-thread.ts';

export interface CheckpointLimits {
  /** Pages that are copied at a time. */
  readonly copied: number;
  /** Pages of the log from which writers wait until all are copied, so that SQLite starts the log over. */
  readonly log: number;
}

const standardLimits: CheckpointLimits = { copied: 1_000, log: 4_096 };

interface LogState {
  /** Pages in the log, and how many of them have been copied. */
  readonly log: number;
  readonly checkpointed: number;
}

/**
 * Copies the write-ahead log to the database on a thread of its own. SQLite would do it inside a COMMIT: writing 16 MB and two syncs
 * block the event loop for 20 to 200 ms. If the thread fails, the writer still does so at `wal_autocheckpoint`.
 */
export class Checkpoints {
  readonly #thread: Pick<SqliteThread, 'run'>;
  readonly #writer: SqliteConnection;
  readonly #limits: CheckpointLimits;
  #copying: Promise<void> | undefined;
  /** Length of the log at the last copy, which may have stopped earlier because of a reader. */
  #attempted = 0;
  #startOverAt: number;

  constructor(thread: Pick<SqliteThread, 'run'>, writer: SqliteConnection, limits: Partial<CheckpointLimits> = {}) {
    this.#thread = thread;
    this.#writer = writer;
    this.#limits = { ...standardLimits, ...limits };
    this.#startOverAt = this.#limits.log;
  }

  /** Call after a commit. Writers wait for the result, if there is one; readers do not. */
  afterCommit(): Promise<void> | undefined {
    const { log, checkpointed } = this.#state();
    if (log < this.#attempted) {
      this.#attempted = 0;
      this.#startOverAt = this.#limits.log;
    }
    if (log >= this.#startOverAt) return this.#copyAll();
    if (log - Math.max(checkpointed, this.#attempted) >= this.#limits.copied) void this.#copy();
    return undefined;
  }

  /** A long read, such as that of a backup, keeps later pages in the log. Writers do not wait for it. */
  async #copyAll(): Promise<void> {
    // The running copy may have begun before the last commit.
    await this.#copying;
    await this.#copy();
    const { log, checkpointed } = this.#state();
    this.#startOverAt = (checkpointed < log ? log : 0) + this.#limits.log;
  }

  #copy(): Promise<void> {
    this.#attempted = this.#state().log;
    const ended = () => {
      this.#copying = undefined;
    };
    // After a failure the log grows up to `wal_autocheckpoint`.
    this.#copying ??= this.#thread.run('pragma wal_checkpoint(passive)').then(ended, ended);
    return this.#copying;
  }

  /** A failing database is reported by the next commit. */
  #state(): LogState {
    try {
      return this.#writer.run('pragma wal_checkpoint(noop)', []).rows[0] as LogState;
    } catch {
      return { log: 0, checkpointed: 0 };
    }
  }
}
