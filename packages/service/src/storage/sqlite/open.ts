import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { CommitListeners } from '../commit-listeners.ts';
import { migrate } from '../migrate.ts';
import { withOutside } from '../outside.ts';
import { queriesOn, type Session } from '../session.ts';
import { type Queries, RunAgain, type Storage, type StorageHooks } from '../storage.ts';
import type { Tables } from '../tables.ts';
import { Checkpoints } from './checkpoints.ts';
import { SqliteConnection } from './connection.ts';
import { lockDataDirectory } from './data-directory-lock.ts';
import { GroupCommit } from './group-commit.ts';
import { LogSync } from './log-sync.ts';
import { SqliteThread } from './sqlite-thread.ts';

/** Opens the embedded storage: one file, one writer, one reader, one process. */
export async function openSqlite(directory: string, hooks: StorageHooks = {}): Promise<Storage> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const lock = lockDataDirectory(directory);
  try {
    return await openLocked(join(directory, 'hortus.db'), hooks, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function openLocked(file: string, hooks: StorageHooks, lock: { release(): void }): Promise<Storage> {
  const writer = new SqliteConnection(file, { readOnly: false });
  await migrate('sqlite', sessionOf(writer));
  const reading = new SqliteConnection(file, { readOnly: true });
  const listeners = new CommitListeners();
  const log = new LogSync(file);
  const copying = new SqliteThread(file, { readOnly: false });
  const checkpoints = new Checkpoints(copying, writer);
  const commits = new GroupCommit(writer, hooks, {
    toDisk: hooks.toDisk ?? (() => log.sync()),
    committed: (notices) => listeners.notify(notices),
    beforeNext: () => checkpoints.afterCommit(),
  });
  let closing: Promise<void> | undefined;
  const session = sessionOf(reading);
  const aside = new SqliteThread(file, { readOnly: true });
  const background = sessionOn(aside);
  const reader: Queries = { ...queriesFor(session), background: queriesFor(background) };
  return {
    engine: 'sqlite',
    reader,
    // With one writer nothing interferes, so a second run requests the same work as the first.
    write: (work) =>
      withOutside((outside) =>
        commits.write(work, outside).catch((error: unknown) => {
          if (error instanceof RunAgain) return commits.write(work, outside);
          throw error;
        }),
      ),
    onCommit: (listener) => listeners.add(listener),
    ping: async () => void reading.run('select 1', []),
    close() {
      closing ??= commits.close().then(async () => {
        await Promise.all([copying.close(), aside.close()]);
        log.close();
        reading.close();
        writer.close();
        lock.release();
      });
      return closing;
    },
  };
}

const sessionOf = (connection: SqliteConnection) => ({
  run: async (text: string, parameters: readonly unknown[]) => connection.run(text, parameters),
});

const sessionOn = (thread: SqliteThread) => ({
  run: async (text: string, parameters: readonly unknown[]) => ({
    rows: await thread.run(text, parameters),
    changed: 0,
  }),
});

const queriesFor = (session: Session): Queries => ({
  engine: 'sqlite',
  run: (...args) => session.run(...args),
  db: queriesOn<Tables>('sqlite', session),
});
