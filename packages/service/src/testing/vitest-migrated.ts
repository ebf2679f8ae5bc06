import { join } from 'node:path';
import { createDatabase } from '@hortus/testkit/database';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { openPostgres } from '../storage/postgres/open.ts';
import { openSqlite } from '../storage/sqlite/open.ts';

/**
 * Vitest's global setup: an empty database of either engine whose schema is up to date. A test copies one instead of making the
 * schema itself, which would be most of its work.
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
