import { setTimeout as sleep } from 'node:timers/promises';
import { guardedBy } from '@hortus/contract/runtime/guarded-by';
import { CommitListeners } from '../commit-listeners.ts';
import { migrate } from '../migrate.ts';
import { withOutside } from '../outside.ts';
import { queriesOn, type Rows, type Session } from '../session.ts';
import {
  type Notice,
  OutcomeUnknown,
  type Outside,
  type Queries,
  RunAgain,
  type Storage,
  StorageBusy,
  type StorageHooks,
  type Tx,
} from '../storage.ts';
import type { Tables } from '../tables.ts';
import { type Connections, limitLocks, openConnections } from './connections.ts';
import { ConnectionLost, isLostConnection } from './lost-connection.ts';
import { isStalePlan, sessionOn } from './prepared-session.ts';
import { Primary, type PrimaryOptions } from './primary.ts';
import { readDatabaseServers } from './servers.ts';
import { Standby } from './standby.ts';
import { Wait } from './wait.ts';

export interface PostgresOptions extends PrimaryOptions {
  readonly url: string;
  /** Maximum number of connections of this process; further requests wait. */
  readonly connections?: number;
  /** How long a request waits for a server that accepts writes, and for a connection, in all. */
  readonly timeoutMs?: number;
  /** How long a transaction waits for a lock, and for the confirmation of its commit. */
  readonly stuckMs?: number;
  /** Whether lists may be read on a standby. */
  readonly reads?: 'primary' | 'standby';
}

const TIMEOUT_MS = 15_000;
/**
 * Longer than a cluster takes to replace a lost synchronous standby. Not a `statement_timeout`: PostgreSQL answers a cancelled
 * commit that waits for its standby with success, and a failover may lose it.
 */
const STUCK_MS = 15_000;

/** Maximum number of runs of a transaction that lost a race, before its caller gets the error. */
const MAX_RUNS = 10;

/**
 * Serialization failure, deadlock, and a unique key that another transaction took: run again, so that the transaction
 * sees the committed data.
 */
const RACE_CODES = new Set(['40001', '40P01', '23505']);

/** Opens the shared storage: several replicas on one PostgreSQL. */
export async function openPostgres(options: PostgresOptions, hooks: StorageHooks = {}): Promise<Storage> {
  const primary = new Primary(readDatabaseServers(options.url), options);
  const newWait = () => new Wait(options.timeoutMs ?? TIMEOUT_MS);
  // At the start, only a database with standbys is waited for: a wrong address is reported at once.
  if (primary.hasStandbys) await primary.find(newWait());
  else await (await primary.connect()).end();
  const { stuckMs = STUCK_MS } = options;
  const connections = openConnections(primary, { max: options.connections ?? 16, lockMs: stuckMs });
  try {
    await migrateOnOwnConnection(connections, newWait(), stuckMs);
  } catch (error) {
    await connections.close();
    throw error;
  }
  const listeners = new CommitListeners();
  const onPrimary = repeating(connections, newWait);
  const standby = options.reads === 'standby' ? new Standby(primary, onPrimary) : undefined;
  const session = standby ? standby.before(onPrimary) : onPrimary;
  const reader: Queries = { engine: 'postgres', run: session.run, db: queriesOn<Tables>('postgres', session) };
  return {
    engine: 'postgres',
    reader,
    write: (work) =>
      withOutside(async (outside) => {
        const wait = newWait();
        try {
          for (let races = 1; ; ) {
            const notices: Notice[] = [];
            try {
              const value = await inTransaction(connections, hooks, { notices, outside, wait, stuckMs }, work);
              standby?.wrote();
              listeners.notify(notices);
              return value;
            } catch (error) {
              // The change may have been saved, and a notice without a change does no harm.
              if (error instanceof OutcomeUnknown) {
                standby?.wrote();
                listeners.notify(notices);
              }
              if (error instanceof ConnectionLost) await pause(wait, error);
              else if (!isRace(error) || races++ >= MAX_RUNS) throw error;
            }
          }
        } finally {
          wait.end();
        }
      }),
    onCommit: (listener) => listeners.add(listener),
    ping: async () => void (await session.run('select 1', [])),
    ...(standby && { allowLag: standby.allowLag }),
    async close() {
      await standby?.close();
      await connections.close();
    },
  };
}

/** Pause before a further run: a server may accept connections and lose each of them. */
const PAUSE_MS = 20;

async function pause(wait: Wait, lost: unknown): Promise<void> {
  wait.failed(lost);
  await wait.for(sleep(PAUSE_MS));
}

const isRace = (error: unknown): boolean =>
  error instanceof RunAgain || isStalePlan(error) || RACE_CODES.has((error as { code?: string } | null)?.code ?? '');

async function migrateOnOwnConnection(connections: Connections, wait: Wait, lockMs: number): Promise<void> {
  const connection = await connections.borrow(wait);
  try {
    // Another replica may migrate for minutes.
    await limitLocks(connection.client, 0);
    await migrate('postgres', sessionOn(connection.client));
    await limitLocks(connection.client, lockMs);
  } finally {
    connection.giveBack();
  }
}

/** One run of a transaction. */
interface Running {
  readonly notices: Notice[];
  readonly outside: Outside;
  readonly wait: Wait;
  readonly stuckMs: number;
}

async function inTransaction<T>(
  connections: Connections,
  hooks: StorageHooks,
  { notices, outside, wait, stuckMs }: Running,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const connection = await connections.borrow(wait);
  const { client } = connection;
  // A connection in an unknown state is discarded instead of returned to the pool.
  let broken: Error | undefined;
  let committing = false;
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
    if (connection.failure) throw connection.failure;
    committing = true;
    const { command } = await confirmed(client.query('commit'), stuckMs, () => connections.giveUpCommit(connection));
    if (command !== 'COMMIT') throw new Error('PostgreSQL rolled the transaction back.');
    return value;
  } catch (error) {
    session.end();
    await client.query('rollback').catch((lost: Error) => {
      broken = lost;
    });
    const lost = connection.failure ?? (isLostConnection(error) ? error : undefined);
    if (lost === undefined) throw isLockTimeout(error) ? new StorageBusy() : error;
    broken ??= lost as Error;
    throw committing ? new OutcomeUnknown(lost) : new ConnectionLost(lost);
  } finally {
    connection.giveBack(broken);
  }
}

/** Waits for a commit. `giveUp` closes its connection, which makes it fail. */
async function confirmed<T>(commit: Promise<T>, withinMs: number, giveUp: () => void): Promise<T> {
  const late = setTimeout(
    // Closing a socket does not fail; if it did, the commit would go on waiting.
    guardedBy(() => {}, giveUp),
    withinMs,
  );
  try {
    return await commit;
  } finally {
    clearTimeout(late);
  }
}

const isLockTimeout = (error: unknown): boolean => (error as { code?: string } | null)?.code === '55P03';

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

/** Runs each statement on any connection. */
async function runOnce(connections: Connections, wait: Wait, args: Parameters<Session['run']>): Promise<Rows> {
  const connection = await connections.borrow(wait);
  let broken: Error | undefined;
  try {
    return await sessionOn(connection.client).run(...args);
  } catch (error) {
    if (isLostConnection(error)) broken = error as Error;
    throw error;
  } finally {
    connection.giveBack(broken);
  }
}

/**
 * Runs statements outside of transactions, which only read; repeats them if their plan was stale or their connection was
 * lost. A transaction is repeated as a whole.
 */
const repeating = (connections: Connections, newWait: () => Wait): Session => ({
  async run(...args) {
    const wait = newWait();
    try {
      for (let isFirst = true; ; isFirst = false) {
        try {
          return await runOnce(connections, wait, args);
        } catch (error) {
          if (isLostConnection(error)) await pause(wait, error);
          else if (!isFirst || !isStalePlan(error)) throw error;
        }
      }
    } finally {
      wait.end();
    }
  },
});
