import pg from 'pg';
import { CommitListeners } from '../commit-listeners.ts';
import { migrate } from '../migrate.ts';
import { withOutside } from '../outside.ts';
import { queriesOn, type Rows, type Session } from '../session.ts';
import {
  type Notice,
  type Outside,
  type Queries,
  RunAgain,
  type Storage,
  type StorageHooks,
  type Tx,
} from '../storage.ts';
import type { Tables } from '../tables.ts';
import { BatchedSocket } from './batched-socket.ts';

export interface PostgresOptions {
  readonly url: string;
  /** Maximum number of connections of this process; further requests wait. */
  readonly connections?: number;
}

/** Maximum number of runs of a transaction that lost a race, before its caller gets the error. */
const MOST_RUNS = 10;

/**
 * Serialization failure, deadlock, and a unique key that another transaction took: run again, so that the transaction
 * sees the committed data.
 */
const RACE_CODES = new Set(['40001', '40P01', '23505']);

/** Opens the shared storage: several replicas on one PostgreSQL. */
export async function openPostgres(options: PostgresOptions, hooks: StorageHooks = {}): Promise<Storage> {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.connections ?? 16,
    connectionTimeoutMillis: 5_000,
    // Statements that a transaction does not await one by one are sent together.
    pipeline: true,
    stream: () => new BatchedSocket(),
    types: { getTypeParser },
  });
  // A lost idle connection is not an error: the pool drops it, and the next query opens another.
  pool.on('error', () => {});
  try {
    await migrateOnOwnConnection(pool);
  } catch (error) {
    await pool.end();
    throw error;
  }
  const listeners = new CommitListeners();
  const session = repeating(sessionOn(pool));
  const reader: Queries = { engine: 'postgres', run: session.run, db: queriesOn<Tables>('postgres', session) };
  return {
    engine: 'postgres',
    reader,
    write: (work) =>
      withOutside(async (outside) => {
        for (let runs = 1; ; runs++) {
          const notices: Notice[] = [];
          try {
            const value = await inTransaction(pool, hooks, { notices, outside }, work);
            listeners.tell(notices);
            return value;
          } catch (error) {
            if (runs >= MOST_RUNS || !isRace(error)) throw error;
          }
        }
      }),
    onCommit: (listener) => listeners.add(listener),
    ping: async () => void (await pool.query('select 1')),
    async close() {
      if (!pool.ending) await pool.end();
    },
  };
}

const isRace = (error: unknown): boolean =>
  error instanceof RunAgain || isStalePlan(error) || RACE_CODES.has((error as { code?: string } | null)?.code ?? '');

/** A newer version has added a column meanwhile to a table whose columns a prepared statement returns. */
const isStalePlan = (error: unknown): boolean => {
  const { code, message = '' } = (error ?? {}) as { code?: string; message?: string };
  return code === '0A000' && message.startsWith('cached plan must not change');
};

/** Bigints are read as numbers: milliseconds and sequence numbers stay far below 2^53. */
const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: unknown) =>
  oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text');

async function migrateOnOwnConnection(pool: pg.Pool): Promise<void> {
  const connection = await borrow(pool);
  try {
    await migrate('postgres', sessionOn(connection.client));
  } finally {
    connection.giveBack();
  }
}

/**
 * Borrows a connection of the pool. Meanwhile the pool does not listen for its errors, and an unhandled error would end
 * the process; so listen here, and discard a connection that had one.
 */
async function borrow(pool: pg.Pool): Promise<{ client: pg.PoolClient; giveBack(broken?: Error): void }> {
  const client = await pool.connect();
  let failure: Error | undefined;
  const onError = (error: Error) => {
    failure = error;
  };
  client.on('error', onError);
  return {
    client,
    giveBack(broken) {
      client.removeListener('error', onError);
      client.release(broken ?? failure);
    },
  };
}

async function inTransaction<T>(
  pool: pg.Pool,
  hooks: StorageHooks,
  { notices, outside }: { readonly notices: Notice[]; readonly outside: Outside },
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const { client, giveBack } = await borrow(pool);
  // A connection in an unknown state is discarded instead of returned to the pool.
  let broken: Error | undefined;
  const session = new TransactionSession(sessionOn(client), hooks);
  try {
    // Not awaited, so that it is sent with the first statement. If it fails, the connection is lost and the statement
    // fails too.
    const begun = client.query('begin');
    begun.catch(() => {});
    const value = await work({
      engine: 'postgres',
      now: (hooks.clock ?? Date.now)(),
      db: queriesOn<Tables>('postgres', session),
      run: (text, parameters, reused) => session.run(text, parameters, reused),
      notify: (topic, message = '') => void notices.push({ topic, message }),
      outside,
    });
    session.end();
    const { command } = await client.query('commit');
    if (command !== 'COMMIT') throw new Error('PostgreSQL rolled the transaction back.');
    return value;
  } catch (error) {
    session.end();
    await client.query('rollback').catch((lost: Error) => {
      broken = lost;
    });
    throw error;
  } finally {
    giveBack(broken);
  }
}

/**
 * Queries of one transaction. Refuses queries after its end, because the connection may then be used by another one.
 */
class TransactionSession implements Session {
  readonly #session: Session;
  readonly #hooks: StorageHooks;
  #ended = false;

  constructor(session: Session, hooks: StorageHooks) {
    this.#session = session;
    this.#hooks = hooks;
  }

  async run(text: string, parameters: readonly unknown[], reused?: boolean): Promise<Rows> {
    if (this.#ended) throw new Error('A query was sent after its transaction had ended; is an await missing?');
    this.#hooks.beforeStatement?.(text);
    return await this.#session.run(text, parameters, reused);
  }

  end(): void {
    this.#ended = true;
  }
}

const names = new Map<string, string>();
let named = 0;

/** Returns one name per text and process, so that PostgreSQL parses repeated statements once per connection. */
function nameOf(text: string): string {
  let name = names.get(text);
  if (!name) {
    name = `hortus_${named++}`;
    names.set(text, name);
  }
  return name;
}

function sessionOn(client: pg.Pool | pg.PoolClient): Session {
  return {
    async run(text, parameters, reused): Promise<Rows> {
      const values = parameters as unknown[];
      const name = reused ? nameOf(text) : undefined;
      try {
        const result = await client.query(name === undefined ? { text, values } : { name, text, values });
        return { rows: result.rows ?? [], changed: result.rowCount ?? 0 };
      } catch (error) {
        // The next run prepares the statement under another name; no connection can replace the plan of a name.
        if (isStalePlan(error) && names.get(text) === name) names.delete(text);
        throw error;
      }
    },
  };
}

/** Repeats statements outside of transactions whose plan was stale; a transaction is repeated as a whole. */
const repeating = ({ run }: Session): Session => ({
  run: (...of) =>
    run(...of).catch((error) => {
      if (!isStalePlan(error)) throw error;
      return run(...of);
    }),
});
