import { Worker } from 'node:worker_threads';
import type { SqliteConnection } from './connection.ts';

export interface CheckpointLimits {
  /** Pages that are copied at a time. */
  readonly copied: number;
  /** Pages of the log from which writers wait until all are copied, so that SQLite starts the log over. */
  readonly log: number;
  /** Time without work after which the thread ends. */
  readonly idleMs: number;
}

const standardLimits: CheckpointLimits = { copied: 1_000, log: 4_096, idleMs: 60_000 };

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
  readonly #file: string;
  readonly #writer: SqliteConnection;
  readonly #limits: CheckpointLimits;
  #thread: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #copying: Promise<void> | undefined;
  /** Length of the log at the last copy, which may have stopped earlier because of a reader. */
  #attempted = 0;
  #startOverAt: number;

  constructor(file: string, writer: SqliteConnection, limits: Partial<CheckpointLimits> = {}) {
    this.#file = file;
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

  /** Must be called before the connections are closed. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    await this.#copying;
    await this.#thread?.terminate();
    this.#thread = undefined;
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
    // Without a thread the log grows up to `wal_autocheckpoint`.
    const ignore = () => undefined;
    this.#copying ??= this.#order()
      .catch(ignore)
      .finally(() => {
        this.#copying = undefined;
      });
    return this.#copying;
  }

  async #order(): Promise<void> {
    this.#attempted = this.#state().log;
    clearTimeout(this.#idle);
    const thread = this.#thread ?? this.#start();
    await new Promise<void>((done) => {
      const end = () => {
        thread.off('message', end).off('exit', end);
        done();
      };
      thread.once('message', end).once('exit', end);
      thread.postMessage('copy');
      this.#idle = setTimeout(() => void this.#stop(thread), this.#limits.idleMs).unref();
    });
  }

  #start(): Worker {
    const thread = new Worker(`(${serveCopies})()`, { eval: true, workerData: this.#file, execArgv: [], env: {} });
    thread.unref();
    thread.on('error', () => undefined);
    thread.on('exit', () => {
      if (this.#thread === thread) this.#thread = undefined;
    });
    this.#thread = thread;
    return thread;
  }

  async #stop(thread: Worker): Promise<void> {
    await this.#copying;
    await thread.terminate();
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

/** Runs in the thread, which knows its text only: no imports. */
function serveCopies(): void {
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads');
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  parentPort?.on('message', () => {
    const db = new DatabaseSync(workerData as string);
    db.exec('pragma synchronous = normal; pragma wal_checkpoint(passive);');
    db.close();
    parentPort.postMessage('copied');
  });
}
