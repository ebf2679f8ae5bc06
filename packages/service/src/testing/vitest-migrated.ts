import { join } from 'node:path';
import { createDatabase } from '@hortus/testkit/database';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { openPostgres } from '../storage/postgres/open.ts';
import { openSqlite } from '../storage/sqlite/open.ts';

/**
 * Global setup of Vitest: creates an empty, migrated database of each engine. Tests copy them, because migrating would
 * take most of their time.
 */
export async function setup(): Promise<() => Promise<void>> {
  const folder = temporaryFolder('migrated');
  await (await openSqlite(folder.path)).close();
  const database = await createDatabase();
  await (await openPostgres({ url: database.url, connections: 1 })).close();
  process.env.HORTUS_TEST_MIGRATED_FILE = join(folder.path, 'hortus.db');
  process.env.HORTUS_TEST_MIGRATED_DATABASE = database.name;
  return async () => {
    delete process.env.HORTUS_TEST_MIGRATED_FILE;
    delete process.env.HORTUS_TEST_MIGRATED_DATABASE;
    await database.drop();
    await folder.remove();
  };
}
