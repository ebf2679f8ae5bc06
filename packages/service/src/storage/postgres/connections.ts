import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { StorageUnavailable } from '../storage.ts';
import { isLostConnection } from './lost-connection.ts';
import { PooledClient } from './pooled-client.ts';
import type { Primary } from './primary.ts';
import { watchForSilence } from './silent-connections.ts';

export interface Connection {
  readonly client: pg.PoolClient;
  /** The error that ended the connection, if one did. */
  readonly failure: Error | undefined;
  /** Discards the connection if it is broken, and otherwise returns it to the pool. */
  giveBack(broken?: Error): void;
}

export interface Connections {
  /** Borrows a connection to the primary; waits for a limited time if there is none. */
  borrow(): Promise<Connection>;
  close(): Promise<void>;
}

/** Pause before a further attempt while a server accepts connections but the pool gets none. */
const PAUSE_MS = 50;

export function openConnections(primary: Primary, most: number): Connections {
  const pool = new pg.Pool({
    max: most,
    connectionTimeoutMillis: 5_000,
    // Statements that a transaction does not await one by one are sent together.
    pipeline: true,
    types: { getTypeParser },
    Client: class extends PooledClient {
      constructor(options?: pg.ClientConfig) {
        super(options ?? {}, primary);
      }
    },
    onConnect: (client) => primary.check(client),
  });
  // A lost idle connection is not an error: the pool drops it, and the next query opens another.
  pool.on('error', () => {});
  const watch = watchForSilence(pool, primary);
  return {
    async borrow() {
      const deadline = Date.now() + primary.patienceMs;
      for (;;) {
        try {
          return kept(await pool.connect());
        } catch (error) {
          if (!isLostConnection(error)) throw error;
          if (Date.now() > deadline) throw new StorageUnavailable(error);
          await primary.find();
        }
        await sleep(PAUSE_MS);
      }
    },
    async close() {
      watch.stop();
      if (!pool.ending) await pool.end();
    },
  };
}

/**
 * While a connection is borrowed, the pool does not listen for its errors, and an unhandled error would end the process;
 * so listen here, and discard a connection that had one.
 */
function kept(client: pg.PoolClient): Connection {
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
const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: unknown) =>
  oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text');
