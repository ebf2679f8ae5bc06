import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from 'kysely';
import {
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';

export type EngineName = 'sqlite' | 'postgres';

export interface Rows<Row = unknown> {
  readonly rows: Row[];
  /** Number of inserted, updated or deleted rows; 0 for a select. */
  readonly changed: number;
}

/** Minimal interface for queries: runs text with parameters. Used by Kysely and by compiled statements. */
export interface Session {
  /** `reused` marks a text that is run often, so that the engine may keep it prepared. */
  run(text: string, parameters: readonly unknown[], reused?: boolean): Promise<Rows>;
}

/** Creates a Kysely that sends every query to one session. It starts no transactions; the storage does. */
export function queriesOn<Tables>(engine: EngineName, session: Session): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: dialectOn(engine, session) });
}

function dialectOn(engine: EngineName, session: Session): Dialect {
  const createDriver = () => new SessionDriver(session);
  return engine === 'sqlite'
    ? {
        createDriver,
        createAdapter: () => new TransactionalSqliteAdapter(),
        createQueryCompiler: () => new SqliteQueryCompiler(),
        createIntrospector: (db) => new SqliteIntrospector(db),
      }
    : {
        createDriver,
        createAdapter: () => new PostgresAdapter(),
        createQueryCompiler: () => new PostgresQueryCompiler(),
        createIntrospector: (db) => new PostgresIntrospector(db),
      };
}

/** Applies migrations in a transaction: SQLite can, and a process that is killed meanwhile leaves no half of a schema. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class SessionDriver implements Driver {
  readonly #connection: SessionConnection;
  constructor(session: Session) {
    this.#connection = new SessionConnection(session);
  }
  async init(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }
  // Only the migrator uses these three, on an exclusive connection.
  async beginTransaction(): Promise<void> {
    await this.#connection.session.run('begin', []);
  }
  async commitTransaction(): Promise<void> {
    await this.#connection.session.run('commit', []);
  }
  async rollbackTransaction(): Promise<void> {
    await this.#connection.session.run('rollback', []);
  }
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
}

class SessionConnection implements DatabaseConnection {
  readonly session: Session;
  constructor(session: Session) {
    this.session = session;
  }
  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { rows, changed } = await this.session.run(query.sql, query.parameters);
    return { rows: rows as R[], numAffectedRows: BigInt(changed) };
  }
  // biome-ignore lint/correctness/useYield: the interface asks for it; nothing here streams
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Streaming queries are not supported: read pages instead.');
  }
}
