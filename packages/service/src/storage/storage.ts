import type { Kysely } from 'kysely';
import type { EngineName, Session } from './session.ts';
import type { Tables } from './tables.ts';

/** Published on the bus once its transaction is durable. */
export interface Notice {
  readonly topic: string;
  readonly message: string;
}

/** Runs queries: the reader outside of a transaction, or one transaction. */
export interface Queries extends Session {
  readonly engine: EngineName;
  readonly db: Kysely<Tables>;
  /** For queries that read many rows, where the engine would block the event loop; use `inBackground`. */
  readonly background?: Queries;
}

/** Returns where to run a query that reads many rows. A transaction runs it itself. */
export const inBackground = (queries: Queries): Queries => queries.background ?? queries;

/**
 * One write transaction. Its callback must await only its queries, have no side effects, and may be run again: after a
 * lost batch, after a serialization failure, and after work that was done `outside`.
 */
export interface Tx extends Queries {
  /** Time of the transaction, used for everything it writes. */
  readonly now: number;
  /** Published after the commit, dropped on a rollback. */
  notify(topic: string, message?: string): void;
  /** Returns the result of slow work (see outside.ts). Equal keys mean the same work. */
  readonly outside: Outside;
}

export type Outside = <T>(key: string, work: () => Promise<T>) => T;

export interface Storage {
  readonly engine: EngineName;
  readonly reader: Queries;
  /** Resolves after the commit is on disk; rejects if nothing was written, or with OutcomeUnknown. */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Runs reads of a list, which a standby may answer if it shows every earlier change of the caller. */
  allowLag?<T>(work: () => Promise<T>): Promise<T>;
  onCommit(listener: (notices: readonly Notice[]) => void): void;
  /** Throws if the database does not answer. */
  ping(): Promise<void>;
  /** Waits for running transactions. Idempotent. */
  close(): Promise<void>;
}

/** Thrown inside a transaction that read data which another one has changed since: the storage runs it again. */
export class RunAgain extends Error {
  override name = 'RunAgain';
}

/** No server of the database accepted writes within the time that queries wait for one. Nothing was written. */
export class StorageUnavailable extends Error {
  override name = 'StorageUnavailable';
  constructor(cause?: unknown, message = 'The database is not available.') {
    super(message, { cause });
  }
}

/** Other requests used every connection to the database for the time that queries wait. Nothing was written. */
export class StorageBusy extends StorageUnavailable {
  override name = 'StorageBusy';
  constructor() {
    super(undefined, 'The database is busy.');
  }
}

/**
 * The connection was lost during the commit, which may have been made. Only work that recognises its own earlier run
 * may be run again.
 */
export class OutcomeUnknown extends Error {
  override name = 'OutcomeUnknown';
  constructor(cause?: unknown) {
    super('The connection to the database was lost during the commit.', { cause });
  }
}

export interface StorageHooks {
  /** Milliseconds since 1970; tests pass their own. */
  readonly clock?: () => number;
  /** Called before every statement of a write transaction; tests throw or kill from here. */
  readonly beforeStatement?: (text: string) => void;
  /** For SQLite: syncs commits to disk; tests delay it or let it fail. */
  readonly toDisk?: () => Promise<void>;
}
