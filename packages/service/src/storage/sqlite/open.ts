import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { migrate } from '../migrate.ts';
import { queriesOn } from '../session.ts';
import type { Notice, Queries, Storage, StorageHooks } from '../storage.ts';
import type { Tables } from '../tables.ts';
import { SqliteConnection } from './connection.ts';
import { lockDataDirectory } from './data-directory-lock.ts';
import { GroupCommit } from './group-commit.ts';

/** The embedded storage: one file, one writer, one reader, one process. */
export async function openSqlite(directory: string, hooks: StorageHooks = {}): Promise<Storage> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const lock = lockDataDirectory(directory);
  const file = join(directory, 'hortus.db');
  const writer = new SqliteConnection(file, { readOnly: false });
  await migrate('sqlite', sessionOf(writer));
  const reading = new SqliteConnection(file, { readOnly: true });
  const listeners: ((notices: readonly Notice[]) => void)[] = [];
  const commits = new GroupCommit(writer, hooks, (notices) => {
    if (notices.length > 0) for (const listener of listeners) listener(notices);
  });
  const session = sessionOf(reading);
  const reader: Queries = { engine: 'sqlite', run: session.run, db: queriesOn<Tables>('sqlite', session) };
  return {
    engine: 'sqlite',
    reader,
    write: (work) => commits.write(work),
    onCommit: (listener) => void listeners.push(listener),
    ping: async () => void reading.run('select 1', []),
    async close() {
      await commits.close();
      reading.close();
      writer.close();
      lock.release();
    },
  };
}

const sessionOf = (connection: SqliteConnection) => ({
  run: async (text: string, parameters: readonly unknown[]) => connection.run(text, parameters),
});
