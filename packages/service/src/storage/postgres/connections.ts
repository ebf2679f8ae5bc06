import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { isLostConnection } from './lost-connection.ts';
import { PooledClient } from './pooled-client.ts';
import type { Primary } from './primary.ts';
import { watchForSilence } from './silent-connections.ts';
import type { Wait } from './wait.ts';

export interface Connection {
  readonly client: pg.PoolClient;
  /** The error that ended the connection, if one did. */
  readonly failure: Error | undefined;
  /** Discards the connection if it is broken, and otherwise returns it to the pool. */
  giveBack(broken?: Error): void;
}

export interface Connections {
  /** Borrows a connection to the primary; waits for a limited time if there is none, or if all are in use. */
  borrow(wait: Wait): Promise<Connection>;
  /** Ends a commit that its server does not confirm, by closing the connection, and prefers the other servers. */
  giveUpCommit(connection: Connection): void;
  close(): Promise<void>;
}

/** Pause before a further attempt while a server accepts connections but the pool gets none. */
const PAUSE_MS = 50;

/** How long statements of the connection wait for a lock, such as one of a commit that is never confirmed; 0: without limit. */
export async function limitLocks(client: pg.ClientBase, lockMs: number): Promise<void> {
  await client.query(`set lock_timeout = ${lockMs}`);
}

export function openConnections(primary: Primary, { max, lockMs }: { max: number; lockMs: number }): Connections {
  const pool = new pg.Pool({
    max,
    // Statements that a transaction does not await one by one are sent together.
    pipeline: true,
    types: { getTypeParser },
    Client: class extends PooledClient {
      constructor(options?: pg.ClientConfig) {
        super(options ?? {}, primary);
      }
    },
    onConnect: async (client) => {
      await primary.check(client);
      await limitLocks(client, lockMs);
    },
  });
  // A lost idle connection is not an error: the pool drops it, and the next query opens another.
  pool.on('error', () => {});
  const watch = watchForSilence(pool, primary);
  return {
    async borrow(wait) {
      for (;;) {
        try {
          return kept(await take(pool, wait));
        } catch (error) {
          if (!isLostConnection(error)) throw error;
          wait.failed(error);
        }
        await primary.find(wait);
        await wait.for(sleep(PAUSE_MS));
      }
    },
    giveUpCommit({ client }) {
      const { url, socket } = client as unknown as PooledClient;
      const reason = new Error('The database server does not confirm commits.');
      socket.destroy(reason);
      if (!primary.hasStandbys) return;
      primary.distrust(url);
      watch.leave(url, reason);
    },
    async close() {
      watch.stop();
      if (!pool.ending) await pool.end();
    },
  };
}

/** Takes a connection of the pool, or opens one. Waits in turn while all are in use. */
async function take(pool: pg.Pool, wait: Wait): Promise<pg.PoolClient> {
  if (pool.idleCount > pool.waitingCount) return await pool.connect();
  const isBusy = pool.totalCount >= pool.options.max;
  const taking = pool.connect();
  try {
    return await wait.for(taking, { isBusy });
  } catch (error) {
    // It may be its turn later.
    taking.then(
      (client) => client.release(),
      () => {},
    );
    throw error;
  }
}

/**
 * While a connection is borrowed, the pool does not listen for its errors, and an unhandled error would end the process;
 * so listen here, and discard a connection that had one.
 */
export function kept(client: pg.PoolClient): Connection {
  let failure: Error | undefined;
  const onError = (error: Error) => {
    failure = error;
  };
  client.on('error', onError);
  return {
    client,
    get failure() {
      return failure;
    },
    giveBack(broken) {
      client.removeListener('error', onError);
      client.release(broken ?? failure);
    },
  };
}

/** Bigints are read as numbers: milliseconds and sequence numbers stay far below 2^53. */
export const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: unknown) =>
  oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text');
