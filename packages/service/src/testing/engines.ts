import { createDatabase } from '@hortus/testkit/database';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterEach, describe } from 'vitest';
import { openPostgres } from '../storage/postgres/open.ts';
import type { EngineName } from '../storage/session.ts';
import { openSqlite } from '../storage/sqlite/open.ts';
import type { Storage, StorageHooks } from '../storage/storage.ts';

/** Somewhere to keep data: what a test opens a storage on, several times if it wants to see another replica or a restart. */
export interface Ground {
  readonly engine: EngineName;
  /** The data directory of SQLite; for PostgreSQL just a folder of the test's own. */
  readonly directory: string;
  readonly databaseUrl: string | undefined;
  open(hooks?: StorageHooks): Promise<Storage>;
}

export interface Engine {
  readonly name: EngineName;
  /** Fresh ground: its own directory or its own database, removed after the test. */
  ground(): Promise<Ground>;
  /** A storage on fresh ground, closed after the test. */
  open(hooks?: StorageHooks): Promise<Storage>;
}

/** Runs a suite once per engine: what holds on one must hold on the other. */
export function onBothEngines(suite: (engine: Engine) => void): void {
  for (const name of ['sqlite', 'postgres'] as const) {
    describe(`on ${name}`, () => {
      const undo: (() => Promise<unknown> | unknown)[] = [];
      afterEach(async () => {
        for (const step of undo.splice(0).reverse()) await step();
      });
      const ground = async (): Promise<Ground> => {
        const folder = await temporaryFolder();
        undo.push(() => folder.remove());
        const database = name === 'postgres' ? await createDatabase() : undefined;
        if (database) undo.push(() => database.drop());
        const open = async (hooks: StorageHooks = {}) => {
          const storage = database
            ? await openPostgres({ url: database.url, connections: 8 }, hooks)
            : await openSqlite(folder.path, hooks);
          undo.push(() => storage.close());
          return storage;
        };
        return { engine: name, directory: folder.path, databaseUrl: database?.url, open };
      };
      suite({ name, ground, open: async (hooks) => (await ground()).open(hooks) });
    });
  }
}
