import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { currentCaller } from '../request-context.ts';
import type { Rows, Session } from '../session.ts';
import { getTypeParser, kept } from './connections.ts';
import { sessionOn } from './prepared-session.ts';
import type { Primary } from './primary.ts';
import { ServerSocket } from './server-socket.ts';
import { Writers } from './writers.ts';

/** Interval at which the standby is compared with the primary. */
const EVERY_MS = 250;
/** Maximum age of what the standby shows; beyond, the primary is read. */
const OLDEST_MS = 2_000;
const CONNECT_MS = 2_000;
/** How long a list may take on the standby before the primary is asked. */
const QUERY_MS = 5_000;
const CONNECTIONS = 8;

/**
 * Reads lists of requests on a standby that is known to be at most two seconds behind, unless the caller has changed
 * something since. In every other case, and after any error, the primary is read.
 */
export class Standby {
  readonly #primary: Primary;
  readonly #onPrimary: Session;
  readonly #lists = new AsyncLocalStorage<true>();
  readonly #writers = new Writers();
  readonly #stopping = new AbortController();
  readonly #comparing: Promise<void>;
  #pool: pg.Pool | undefined;
  /** The standby shows every change that was committed before this time. */
  #shows = Number.NEGATIVE_INFINITY;

  constructor(primary: Primary, onPrimary: Session) {
    this.#primary = primary;
    this.#onPrimary = onPrimary;
    this.#comparing = this.#compare();
  }

  /** Marks reads that may be slightly behind. */
  readonly allowLag = <T>(work: () => Promise<T>): Promise<T> => this.#lists.run(true, work);

  /** Notes a change of the current caller, which has to see it from now on. */
  wrote(): void {
    this.#writers.note(currentCaller(), performance.now(), this.#shows);
  }

  /** Returns a session that asks the standby first where that is allowed. */
  before(primary: Session): Session {
    return { run: async (...args) => (await this.#run(args)) ?? (await primary.run(...args)) };
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#comparing;
    this.#leave();
  }

  async #run(args: Parameters<Session['run']>): Promise<Rows | undefined> {
    const pool = this.#pool;
    if (pool === undefined || this.#lists.getStore() === undefined || !this.#suits(currentCaller())) return undefined;
    const connection = await pool.connect().then(kept, () => undefined);
    if (connection === undefined) return undefined;
    try {
      const found = await sessionOn(connection.client).run(...args);
      connection.giveBack();
      return found;
    } catch (error) {
      // A standby may have to cancel a statement. An error of the statement itself comes from the primary, too.
      connection.giveBack(error as Error);
      return undefined;
    }
  }

  /** Requests without a known caller, such as those of daemons, act on what they read. */
  #suits(caller: string | undefined): boolean {
    const isFresh = performance.now() - this.#shows <= OLDEST_MS;
    return isFresh && caller !== undefined && this.#writers.lastOf(caller) < this.#shows;
  }

  async #compare(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#compareOnce().catch(() => this.#leave());
      await sleep(EVERY_MS, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  async #compareOnce(): Promise<void> {
    this.#pool ??= await this.#find();
    if (this.#pool === undefined) return;
    const begun = performance.now();
    const { rows } = await this.#onPrimary.run('select pg_current_wal_lsn()::text as position', []);
    const [{ position } = { position: '' }] = rows as { position: string }[];
    const text = 'select pg_is_in_recovery() as follows, pg_last_wal_replay_lsn() >= $1::pg_lsn as shows';
    const [state] = (await this.#pool.query(text, [position])).rows as { follows: boolean; shows: boolean | null }[];
    if (!state?.follows) throw new Error('The standby has become the primary.');
    if (state.shows) this.#shows = begun;
  }

  async #find(): Promise<pg.Pool | undefined> {
    for (const connectionString of this.#primary.otherUrls) {
      const pool = new pg.Pool({
        connectionString,
        max: CONNECTIONS,
        connectionTimeoutMillis: CONNECT_MS,
        query_timeout: QUERY_MS,
        types: { getTypeParser },
        stream: () => new ServerSocket(),
      });
      // A lost idle connection is not an error: the pool drops it.
      pool.on('error', () => {});
      try {
        const { rows } = await pool.query('select pg_is_in_recovery() as follows');
        if (rows[0]?.follows) return pool;
      } catch {
        // Not reachable: the next one may be.
      }
      await pool.end();
    }
    return undefined;
  }

  #leave(): void {
    this.#shows = Number.NEGATIVE_INFINITY;
    const pool = this.#pool;
    this.#pool = undefined;
    // Not awaited: a server that is cut off would not confirm the end.
    pool?.end().catch(() => {});
  }
}
