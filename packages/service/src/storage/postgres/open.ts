import pg from 'pg';
import { migrate } from '../migrate.ts';
import { queriesOn, type Rows, type Session } from '../session.ts';
import { type Notice, type Queries, RunAgain, type Storage, type StorageHooks, type Tx } from '../storage.ts';
import type { Tables } from '../tables.ts';

export interface PostgresOptions {
  readonly url: string;
  /** Connections of this process; the pool waits rather than open more. */
  readonly connections?: number;
}

/** How often a transaction that lost a race is run again before its caller hears of it. */
const MOST_RUNS = 10;

/**
 * Serialisation failure, deadlock, and a unique key that somebody else took between our look and our insert: run again,
 * the transaction sees what was committed meanwhile and answers properly.
 */
const RACE_CODES = new Set(['40001', '40P01', '23505']);

/** The shared storage: several replicas on one PostgreSQL. */
export async function openPostgres(options: PostgresOptions, hooks: StorageHooks = {}): Promise<Storage> {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.connections ?? 16,
    connectionTimeoutMillis: 5_000,
    types: { getTypeParser },
  });
  // A connection lost while idle is no error of ours: the pool has dropped it, the next query opens another.
  pool.on('error', () => {});
  await migrateOnOwnConnection(pool);
  const listeners: ((notices: readonly Notice[]) => void)[] = [];
  const session = sessionOn(pool);
  const reader: Queries = { engine: 'postgres', run: session.run, db: queriesOn<Tables>('postgres', session) };
  return {
    engine: 'postgres',
    reader,
    async write(work) {
      for (let runs = 1; ; runs++) {
        const notices: Notice[] = [];
        try {
          const value = await inTransaction(pool, hooks, notices, work);
          if (notices.length > 0) for (const listener of listeners) listener(notices);
          return value;
        } catch (error) {
          if (runs >= MOST_RUNS || !isRace(error)) throw error;
        }
      }
    },
    onCommit: (listener) => void listeners.push(listener),
    ping: async () => void (await pool.query('select 1')),
    close: () => pool.end(),
  };
}

const isRace = (error: unknown): boolean =>
  error instanceof RunAgain || RACE_CODES.has((error as { code?: string } | null)?.code ?? '');

/** Counts and bigints are read as numbers: milliseconds and sequence numbers stay far below 2^53. */
const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: unknown) =>
  oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text');

async function migrateOnOwnConnection(pool: pg.Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await migrate('postgres', sessionOn(client));
  } finally {
    client.release();
  }
}

async function inTransaction<T>(
  pool: pg.Pool,
  hooks: StorageHooks,
  notices: Notice[],
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  // A connection in an unknown state is thrown away instead of going back to the pool.
  let broken: Error | undefined;
  const session = sessionOn(client);
  try {
    await client.query('begin');
    const value = await work({
      engine: 'postgres',
      now: (hooks.clock ?? Date.now)(),
      db: queriesOn<Tables>('postgres', observed(session, hooks)),
      run: observed(session, hooks).run,
      notify: (topic, message = '') => void notices.push({ topic, message }),
    });
    const { command } = await client.query('commit');
    if (command !== 'COMMIT') throw new Error('PostgreSQL rolled the transaction back.');
    return value;
  } catch (error) {
    await client.query('rollback').catch((lost: Error) => {
      broken = lost;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

const observed = (session: Session, { beforeStatement }: StorageHooks): Session =>
  beforeStatement
    ? {
        async run(text, parameters, reused) {
          beforeStatement(text);
          return session.run(text, parameters, reused);
        },
      }
    : session;

const names = new Map<string, string>();

/** One name per text and process, so that PostgreSQL parses what comes again and again once per connection. */
function nameOf(text: string): string {
  let name = names.get(text);
  if (!name) {
    name = `hortus_${names.size}`;
    names.set(text, name);
  }
  return name;
}

function sessionOn(client: pg.Pool | pg.PoolClient): Session {
  return {
    async run(text, parameters, reused): Promise<Rows> {
      const values = parameters as unknown[];
      const result = await client.query(reused ? { name: nameOf(text), text, values } : { text, values });
      return { rows: result.rows ?? [], changed: result.rowCount ?? 0 };
    },
  };
}
