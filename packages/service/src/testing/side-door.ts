import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { queriesOn, type Rows } from '../storage/session.ts';
import { SqliteConnection } from '../storage/sqlite/connection.ts';
import type { Queries, Tx } from '../storage/storage.ts';
import type { Tables } from '../storage/tables.ts';
import type { Engine, TestDatabase } from './engines.ts';

/** SQLite's code for a lock that somebody else has. */
const BUSY = 5;

/**
 * The database of a service that is running, for what no endpoint shows or does. Every statement is a transaction of its
 * own, and nobody is notified: the service notices what it reads from the database, not what it keeps in memory.
 */
export async function openSideDoor(engine: Engine, testDatabase: TestDatabase): Promise<Tx> {
  const queries =
    testDatabase.engine === 'postgres' ? (await testDatabase.open()).reader : besideSqlite(engine, testDatabase);
  return {
    ...queries,
    get now() {
      return Date.now();
    },
    notify: () => {},
    outside: () => {
      throw new Error('A side door has no transaction to run again.');
    },
  };
}

/** A connection beside the one of the service, which has locked the directory against a second storage. */
function besideSqlite(engine: Engine, testDatabase: TestDatabase): Queries {
  const connection = new SqliteConnection(join(testDatabase.directory, 'hortus.db'), { readOnly: false });
  engine.afterwards(() => connection.close());
  // Waiting for a lock would hold up this process, and with it the service that has to let go of it.
  connection.run('pragma busy_timeout = 0', []);
  const run = async (text: string, parameters: readonly unknown[]): Promise<Rows> => {
    for (;;) {
      try {
        return connection.run(text, parameters);
      } catch (error) {
        if ((error as { errcode?: number }).errcode !== BUSY) throw error;
        await turn();
      }
    }
  };
  return { engine: 'sqlite', run, db: queriesOn<Tables>('sqlite', { run }) };
}
