import { queriesOn } from '../session.ts';
import type { Notice, Outside, StorageHooks, Tx } from '../storage.ts';
import type { Tables } from '../tables.ts';
import type { SqliteConnection } from './connection.ts';

interface Work {
  readonly run: (tx: Tx) => Promise<unknown>;
  readonly outside: Outside;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

interface Done {
  readonly work: Work;
  readonly value: unknown;
  readonly notices: readonly Notice[];
}

/** Nothing of the batch is written, and none of its callers has been answered. */
interface Lost {
  readonly by: 'callback' | 'database';
  readonly cause: unknown;
}

export interface CommitSteps {
  readonly toDisk: () => Promise<void>;
  readonly committed: (notices: readonly Notice[]) => void;
  /** Called after a batch. The next one waits for the result, if there is one. */
  readonly beforeNext?: () => Promise<void> | undefined;
}

type Outcome = { ok: true; value: unknown } | { ok: false; error: unknown };

const MAX_IN_BATCH = 128;

/** A batch that has blocked the event loop for this long yields before the next statement. */
const MAX_TURN_MS = 10;

/** Isolation of the callbacks of a batch: none while all succeed, otherwise a savepoint each. */
type Apart = 'together' | 'savepoints';

/**
 * Runs write callbacks one by one on the single writer connection, several inside one BEGIN…COMMIT. Concurrent callers
 * share one fsync, which dominates the cost of a small transaction. Callers resolve only after fsync; the event loop
 * stays free meanwhile. A callback that throws must roll back only its own writes. A savepoint for each would do that,
 * but costs as much as the inserts of a creation, because SQLite then copies every page before its first change; and
 * most callbacks that throw have not written yet. So a batch runs without savepoints, and is run again with them only
 * if a callback threw after writing.
 */
export class GroupCommit {
  readonly #connection: SqliteConnection;
  readonly #hooks: StorageHooks;
  readonly #steps: CommitSteps;
  #queue: Work[] = [];
  #draining: Promise<void> | undefined;
  #closed = false;
  /** Aborts the running callback; called by the watchdog, which is set once per turn of the loop. */
  #giveUp = () => {};
  #watchdog: NodeJS.Immediate | undefined;
  /** When the turn of the event loop that runs the batch started. */
  #turnBegan = 0;
  /** Shared by statements that were sent together, so that they run in order. */
  #pause: Promise<void> | undefined;
  #broken: Error | undefined;

  constructor(connection: SqliteConnection, hooks: StorageHooks, steps: CommitSteps) {
    this.#connection = connection;
    this.#hooks = hooks;
    this.#steps = steps;
  }

  write<T>(run: (tx: Tx) => Promise<T>, outside: Outside): Promise<T> {
    if (this.#closed) return Promise.reject(new Error('The storage is closed.'));
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ run, outside, resolve: resolve as (value: unknown) => void, reject });
      this.#draining ??= this.#drain();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      // Wait for the next turn of the loop, so that all concurrent requests join the same batch.
      await turnOfLoop();
      await this.#write(this.#queue.splice(0, MAX_IN_BATCH));
      await this.#steps.beforeNext?.();
    }
    this.#draining = undefined;
  }

  /** Isolates failing callbacks: each fails alone. */
  async #write(batch: readonly Work[]): Promise<void> {
    if (this.#broken) {
      for (const work of batch) work.reject(this.#broken);
      return;
    }
    const lost = await this.#commit(batch, 'together');
    if (!lost) return;
    const [only] = batch;
    if (only && batch.length === 1) return only.reject(lost.by === 'callback' ? lost.cause : rolledBack(lost.cause));
    if (lost.by === 'callback' && !(await this.#commit(batch, 'savepoints'))) return;
    for (const work of batch) await this.#write([work]);
  }

  /** Returns why the whole batch was lost, if it was. */
  async #commit(batch: readonly Work[], apart: Apart): Promise<Lost | undefined> {
    const done: Done[] = [];
    const failed: { work: Work; error: unknown }[] = [];
    this.#turnBegan = performance.now();
    try {
      this.#control('begin immediate');
      for (const work of batch) {
        const tx = new SqliteTx(this.#connection, this.#hooks, work.outside, () => this.#beforeStatement());
        if (apart === 'savepoints') this.#control('savepoint work');
        const outcome = await this.#call(work, tx);
        if (!this.#connection.inTransaction) return { by: 'database', cause: outcome.ok ? undefined : outcome.error };
        if (outcome.ok) done.push({ work, value: outcome.value, notices: tx.notices });
        else if (apart === 'together' && tx.wrote) {
          this.#control('rollback');
          return { by: 'callback', cause: outcome.error };
        } else {
          if (apart === 'savepoints') this.#control('rollback to work');
          failed.push({ work, error: outcome.error });
        }
        if (apart === 'savepoints') this.#control('release work');
      }
      this.#control('commit');
    } catch (error) {
      if (this.#connection.inTransaction) this.#control('rollback');
      return { by: 'database', cause: error };
    } finally {
      clearImmediate(this.#watchdog);
      this.#watchdog = undefined;
    }
    for (const { work, error } of failed) work.reject(error);
    await this.#respond(done);
    return undefined;
  }

  /**
   * Resolves the callers after the commit is on disk; readers see it a moment before. After a failure nothing is
   * written any more, because the state of the disk is unknown.
   */
  async #respond(done: readonly Done[]): Promise<void> {
    try {
      await this.#steps.toDisk();
    } catch (cause) {
      const broken = new Error('Writing to disk failed. Restart the service once the disk works again.', {
        cause,
      });
      this.#broken = broken;
      for (const { work } of done) work.reject(broken);
      return;
    }
    for (const { work, value } of done) work.resolve(value);
    this.#steps.committed(done.flatMap(({ notices }) => notices));
    // Resolved callers may send their next write in the following turn: let it join the next batch.
    await turnOfLoop();
  }

  #control(text: string): void {
    this.#connection.run(text, []);
  }

  /**
   * Yields to the event loop inside a long batch, between two statements. The transaction stays open: later writers
   * wait, readers have their own connection. Undefined while the turn is short.
   */
  #beforeStatement(): Promise<void> | undefined {
    if (this.#pause || performance.now() - this.#turnBegan < MAX_TURN_MS) return this.#pause;
    clearImmediate(this.#watchdog);
    this.#pause = turnOfLoop().then(() => {
      this.#pause = undefined;
      this.#turnBegan = performance.now();
      this.#watch();
    });
    return this.#pause;
  }

  /**
   * Replaces the watchdog that was set before. A pause may end in a later run of the batch than the one that began it:
   * a callback that fails does not wait for statements which it sent but did not await. Two watchdogs would then watch
   * that run, and its next pause would stop only one of them.
   */
  #watch(): void {
    clearImmediate(this.#watchdog);
    this.#watchdog = setImmediate(() => {
      this.#watchdog = undefined;
      this.#giveUp();
    });
  }

  /**
   * Runs one callback. Its queries resolve within the microtask queue, or pause explicitly, so it must settle before
   * the loop turns otherwise. A callback that does not settle awaits something other than its transaction and would
   * block every writer, so it is aborted.
   */
  #call(work: Work, tx: SqliteTx): Promise<Outcome> {
    return new Promise((settle) => {
      const end = (outcome: Outcome) => {
        tx.end();
        settle(outcome);
      };
      this.#giveUp = () => end({ ok: false, error: new Error(AWAITS_ELSEWHERE) });
      if (!this.#watchdog) this.#watch();
      // Handles callbacks that throw synchronously like those that reject.
      Promise.try(work.run, tx).then(
        (value) => end({ ok: true, value }),
        (error) => end({ ok: false, error }),
      );
    });
  }
}

const turnOfLoop = () => new Promise<void>((next) => setImmediate(next));

const rolledBack = (cause?: unknown) => new Error('The database rolled the transaction back.', { cause });

const AWAITS_ELSEWHERE = 'A write callback awaited something other than a query of its transaction.';

class SqliteTx implements Tx {
  readonly engine = 'sqlite';
  readonly now: number;
  readonly notices: Notice[] = [];
  readonly outside: Outside;
  readonly #connection: SqliteConnection;
  readonly #hooks: StorageHooks;
  readonly #pause: () => Promise<void> | undefined;
  #db: Tx['db'] | undefined;
  #ended = false;
  #wrote = false;

  constructor(
    connection: SqliteConnection,
    hooks: StorageHooks,
    outside: Outside,
    pause: () => Promise<void> | undefined,
  ) {
    this.#connection = connection;
    this.#hooks = hooks;
    this.#pause = pause;
    this.outside = outside;
    this.now = (hooks.clock ?? Date.now)();
  }

  /** Created on demand: most hot transactions run only compiled statements. */
  get db(): Tx['db'] {
    this.#db ??= queriesOn<Tables>('sqlite', this);
    return this.#db;
  }

  async run(text: string, parameters: readonly unknown[]) {
    const pause = this.#ended ? undefined : this.#pause();
    if (pause) await pause;
    if (this.#ended) throw new Error('A query was sent after its transaction had ended; is an await missing?');
    // After SQLite has rolled back by itself, a further statement would be committed on its own.
    if (!this.#connection.inTransaction) throw rolledBack();
    this.#hooks.beforeStatement?.(text);
    const rows = this.#connection.run(text, parameters);
    // After the statement: a failing one, for example because of a unique key, undoes itself.
    this.#wrote ||= !text.startsWith('select');
    return rows;
  }

  /** Whether there is something to roll back. */
  get wrote(): boolean {
    return this.#wrote;
  }

  notify(topic: string, message = ''): void {
    this.notices.push({ topic, message });
  }

  end(): void {
    this.#ended = true;
  }
}
