import type { SQLInputValue } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { guardedBy } from '@hortus/contract/runtime/guarded-by';

interface Order {
  readonly id: number;
  readonly text: string;
  readonly parameters: readonly unknown[];
}

interface Reply {
  readonly id: number;
  readonly rows?: unknown[];
  readonly error?: Error;
}

interface Waiting {
  readonly done: (rows: unknown[]) => void;
  readonly fail: (error: unknown) => void;
}

const IDLE_MS = 60_000;

/**
 * Runs statements of SQLite that take long on a thread of their own, because `node:sqlite` blocks the thread it runs on. Starts with the
 * first statement and ends after a minute without one.
 */
export class SqliteThread {
  readonly #file: string;
  readonly #readOnly: boolean;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #orders = 0;
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(file: string, { readOnly }: { readonly readOnly: boolean }) {
    this.#file = file;
    this.#readOnly = readOnly;
  }

  /** Statements run one after another. */
  run(text: string, parameters: readonly unknown[] = []): Promise<unknown[]> {
    const result = new Promise<unknown[]>((done, fail) => {
      if (this.#closed) throw new Error('The storage is closed.');
      const order: Order = { id: ++this.#orders, text, parameters };
      const worker = this.#worker ?? this.#start();
      clearTimeout(this.#idle);
      worker.ref();
      worker.postMessage(order);
      this.#waiting.set(order.id, { done, fail });
    });
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Waits for the running statements. Must be called before the other connections are closed. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#last;
    clearTimeout(this.#idle);
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const workerData = { file: this.#file, readOnly: this.#readOnly };
    const worker = new Worker(`(${serveStatements})()`, { eval: true, workerData, execArgv: [], env: {} });
    const end = () => void worker.terminate();
    const onReceived = (reply: Reply) => this.#received(worker, reply);
    const ended = () => this.#ended(worker);
    worker.on('message', guardedBy(end, onReceived));
    worker.on('error', guardedBy(end, end));
    worker.on('exit', guardedBy(end, ended));
    this.#worker = worker;
    return worker;
  }

  #received(worker: Worker, { id, rows, error }: Reply): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (rows) waiting?.done(rows);
    else waiting?.fail(error);
    if (this.#waiting.size > 0) return;
    worker.unref();
    const rest = () => this.#rest(worker);
    this.#idle = setTimeout(guardedBy(rest, rest), IDLE_MS).unref();
  }

  #rest(worker: Worker): void {
    this.#worker = undefined;
    void worker.terminate();
  }

  #ended(worker: Worker): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    for (const { fail } of this.#waiting.values()) fail(new Error('The thread of the database ended.'));
    this.#waiting.clear();
  }
}

/** Runs in the thread, which gets only the text of this function: no imports. Keeps no connection, so that none is left at the end. */
function serveStatements(): void {
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads');
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const { file, readOnly } = workerData as { file: string; readOnly: boolean };
  const guardedRun = ({ id, text, parameters }: Order) => {
    try {
      const db = new DatabaseSync(file, { readOnly, timeout: 5_000 });
      try {
        if (!readOnly) db.exec('pragma synchronous = normal');
        const rows = db.prepare(text).all(...(parameters as SQLInputValue[]));
        parentPort?.postMessage({ id, rows });
      } finally {
        db.close();
      }
    } catch (error) {
      parentPort?.postMessage({ id, error });
    }
  };
  parentPort?.on('message', guardedRun);
}
