import { queriesOn } from '../session.ts';
import type { Notice, StorageHooks, Tx } from '../storage.ts';
import type { Tables } from '../tables.ts';
import type { SqliteConnection } from './connection.ts';

interface Work {
  readonly run: (tx: Tx) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

interface Done {
  readonly work: Work;
  readonly value: unknown;
  readonly notices: readonly Notice[];
}

/** Nothing of a batch is written. */
interface Lost {
  readonly cause: unknown;
}

type Outcome = { ok: true; value: unknown } | { ok: false; error: unknown };

/** Bounds how long one batch keeps the event loop from anything else. */
const MOST_IN_BATCH = 128;

/**
 * Runs write callbacks one after another on the one writer connection, several inside one BEGIN…COMMIT, each in its own
 * savepoint. Concurrent callers so share one fsync, which is the whole price of a small transaction; a callback that
 * throws takes only its own savepoint back. Nobody is answered before the COMMIT that carries his work.
 */
export class GroupCommit {
  readonly #connection: SqliteConnection;
  readonly #hooks: StorageHooks;
  readonly #committed: (notices: readonly Notice[]) => void;
  #queue: Work[] = [];
  #draining: Promise<void> | undefined;
  #closed = false;

  constructor(connection: SqliteConnection, hooks: StorageHooks, committed: (notices: readonly Notice[]) => void) {
    this.#connection = connection;
    this.#hooks = hooks;
    this.#committed = committed;
  }

  write<T>(run: (tx: Tx) => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new Error('The storage is closed.'));
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ run, resolve: resolve as (value: unknown) => void, reject });
      this.#draining ??= this.#drain();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      // The next turn of the loop: all requests that arrived with this one get onto the same batch.
      await new Promise((next) => setImmediate(next));
      const batch = this.#queue.splice(0, MOST_IN_BATCH);
      if (await this.#commit(batch)) for (const work of batch) await this.#alone(work);
    }
    this.#draining = undefined;
  }

  /** Answers why the batch as a whole was lost, if it was; then nothing of it is written and nobody has been answered. */
  async #commit(batch: readonly Work[]): Promise<Lost | undefined> {
    const done: Done[] = [];
    const failed: { work: Work; error: unknown }[] = [];
    try {
      this.#control('begin immediate');
      for (const work of batch) {
        const notices: Notice[] = [];
        this.#control('savepoint work');
        const outcome = await this.#call(work, notices);
        if (!this.#connection.inTransaction) return { cause: outcome.ok ? undefined : outcome.error };
        if (outcome.ok) {
          this.#control('release work');
          done.push({ work, value: outcome.value, notices });
        } else {
          this.#control('rollback to work');
          this.#control('release work');
          failed.push({ work, error: outcome.error });
        }
      }
      this.#control('commit');
    } catch (error) {
      if (this.#connection.inTransaction) this.#control('rollback');
      return { cause: error };
    }
    for (const { work, error } of failed) work.reject(error);
    for (const { work, value } of done) work.resolve(value);
    this.#committed(done.flatMap((d) => d.notices));
    return undefined;
  }

  #control(text: string): void {
    this.#connection.run(text, []);
  }

  /** After a lost batch each callback gets a transaction of its own, so that one that cannot be written fails alone. */
  async #alone(work: Work): Promise<void> {
    const lost = await this.#commit([work]);
    if (lost) work.reject(new Error('The database rolled the transaction back.', { cause: lost.cause }));
  }

  /**
   * Runs one callback. Its queries answer within the microtask queue, so it must be settled before the loop turns; one
   * that is not awaits something other than its transaction and would hold up every writer, so it is given up.
   */
  #call(work: Work, notices: Notice[]): Promise<Outcome> {
    return new Promise((settle) => {
      const tx = new SqliteTx(this.#connection, this.#hooks, notices);
      const end = (outcome: Outcome) => {
        clearImmediate(watchdog);
        tx.end();
        settle(outcome);
      };
      const watchdog = setImmediate(() => end({ ok: false, error: new Error(AWAITS_ELSEWHERE) }));
      // A callback that throws before its first await is as welcome as one that rejects.
      Promise.try(work.run, tx).then(
        (value) => end({ ok: true, value }),
        (error) => end({ ok: false, error }),
      );
    });
  }
}

const AWAITS_ELSEWHERE = 'A write callback awaited something other than a query of its transaction.';

class SqliteTx implements Tx {
  readonly engine = 'sqlite';
  readonly now: number;
  readonly #connection: SqliteConnection;
  readonly #hooks: StorageHooks;
  readonly #notices: Notice[];
  #db: Tx['db'] | undefined;
  #ended = false;

  constructor(connection: SqliteConnection, hooks: StorageHooks, notices: Notice[]) {
    this.#connection = connection;
    this.#hooks = hooks;
    this.#notices = notices;
    this.now = (hooks.clock ?? Date.now)();
  }

  /** Made on demand: most hot transactions run compiled statements only. */
  get db(): Tx['db'] {
    this.#db ??= queriesOn<Tables>('sqlite', this);
    return this.#db;
  }

  async run(text: string, parameters: readonly unknown[]) {
    if (this.#ended) throw new Error('A query was sent after its transaction had ended; is an await missing?');
    // After SQLite has rolled back by itself a further statement would be a transaction of its own, and stay.
    if (!this.#connection.inTransaction) throw new Error('The database rolled the transaction back.');
    this.#hooks.beforeStatement?.(text);
    return this.#connection.run(text, parameters);
  }

  notify(topic: string, message = ''): void {
    this.#notices.push({ topic, message });
  }

  end(): void {
    this.#ended = true;
  }
}
