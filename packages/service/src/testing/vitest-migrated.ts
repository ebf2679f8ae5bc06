import { join } from 'node:path';
import { createDatabase } from '@hortus/testkit/database';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { openPostgres } from '../storage/postgres/open.ts';
import { openSqlite } from '../storage/sqlite/open.ts';
import { writeCatalog } from './catalog-folder.ts';

/**
 * Global setup of Vitest: creates an empty, migrated database of each engine and a catalog. Tests copy the databases and
 * read the catalog, because migrating and writing would take most of their time.
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  // Vitest calls it for each of its projects.
  if (process.env.HORTUS_TEST_MIGRATED_FILE) return undefined;
  const folder = temporaryFolder('migrated');
  await (await openSqlite(folder.path)).close();
  const database = await createDatabase();
  await (await openPostgres({ url: database.url, connections: 1 })).close();
  process.env.HORTUS_TEST_MIGRATED_FILE = join(folder.path, 'hortus.db');
  process.env.HORTUS_TEST_MIGRATED_DATABASE = database.name;
  process.env.HORTUS_TEST_CATALOG = await writeCatalog(join(folder.path, 'catalog'));
  return async () => {
    delete process.env.HORTUS_TEST_MIGRATED_FILE;
    delete process.env.HORTUS_TEST_MIGRATED_DATABASE;
    delete process.env.HORTUS_TEST_CATALOG;
    await database.drop();
    await folder.remove();
  };
}
