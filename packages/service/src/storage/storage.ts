import type { Kysely } from 'kysely';
import type { EngineName, Session } from './session.ts';
import type { Tables } from './tables.ts';

/** Something that happened, told to the bus once the transaction that caused it is durable. */
export interface Notice {
  readonly topic: string;
  readonly message: string;
}

/** Where queries run: the reader outside a transaction, or one transaction. */
export interface Queries extends Session {
  readonly engine: EngineName;
  readonly db: Kysely<Tables>;
}

/**
 * One write transaction. A callback that gets one awaits only its queries, has no side effect and may be run again:
 * after a lost batch, after a serialisation failure, and after work that was done `outside`.
 */
export interface Tx extends Queries {
  /** The time of the transaction; everything it writes carries the same. */
  readonly now: number;
  /** Told after the commit, dropped with a rollback. */
  notify(topic: string, message?: string): void;
  /** Gives the result of work that takes time (see outside.ts). Two pieces of work with the same key are the same work. */
  readonly outside: Outside;
}

export type Outside = <T>(key: string, work: () => Promise<T>) => T;

export interface Storage {
  readonly engine: EngineName;
  readonly reader: Queries;
  /** Resolves after the commit is on disk; rejects with nothing written. */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  onCommit(listener: (notices: readonly Notice[]) => void): void;
  /** Throws when the database does not answer. */
  ping(): Promise<void>;
  /** Waits for what is under way. Closing twice is closing once. */
  close(): Promise<void>;
}

/** Thrown inside a transaction that read something another one has changed since: the storage runs it again. */
export class RunAgain extends Error {
  override name = 'RunAgain';
}

export interface StorageHooks {
  /** Milliseconds since 1970; tests pass their own. */
  readonly clock?: () => number;
  /** Called before every statement of a write transaction; tests throw or kill from here. */
  readonly beforeStatement?: (text: string) => void;
  /** Of SQLite: brings what is committed to the disk; tests have it take its time, or fail. */
  readonly toDisk?: () => Promise<void>;
}
