import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { queriesOn, type Rows } from '../storage/session.ts';
import { SqliteConnection } from '../storage/sqlite/connection.ts';
import type { Queries, Tx } from '../storage/storage.ts';
import type { Tables } from '../storage/tables.ts';
import type { Engine, TestDatabase } from './engines.ts';

/** SQLite's code for a lock held by another process. */
const BUSY = 5;

/**
 * Opens the database of a running service, for what no endpoint shows or does. Every statement is its own transaction,
 * without notices: the service sees the changes in the database, not in its caches.
 */
export async function openDirectDatabase(engine: Engine, testDatabase: TestDatabase): Promise<Tx> {
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

/** Opens a connection beside that of the service, which has locked the directory against a second storage. */
function besideSqlite(engine: Engine, testDatabase: TestDatabase): Queries {
  const connection = new SqliteConnection(join(testDatabase.directory, 'hortus.db'), { readOnly: false });
  engine.afterwards(() => connection.close());
  // Waiting for a lock would block this process, including the service that has to release it.
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
