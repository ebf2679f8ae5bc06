import { join } from 'node:path';
import { createDatabase, sharedPostgresUrl } from '@hortus/testkit/database';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { afterEach, expect, test } from 'vitest';
import { writeCatalog } from '../docker/test-species.ts';
import { newAdminKey, type ServiceProcess, startService } from '../service-process.ts';
import { unpackBaseline } from './baseline.ts';
import { UserLoad } from './user-load.ts';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

const REQUESTS = process.env.HORTUS_TEST_LONG ? 2_000 : 250;

test('replicas of the previous baseline and of this version share a database under load, and no request fails', {
  timeout: 300_000,
}, async () => {
  const folder = temporaryFolder('updates');
  undo.push(() => folder.remove());
  const database = await createDatabase(sharedPostgresUrl());
  undo.push(() => database.drop());
  const baseline = unpackBaseline(folder.path);
  // Templates of today may use fields that the baseline cannot read in a file; it meets them in the database.
  const former = writeCatalog(join(folder.path, 'catalog'));
  const key = newAdminKey();
  const start = async (main?: string): Promise<ServiceProcess> => {
    const masterKey = Buffer.alloc(32, 7).toString('base64');
    const catalog = main === undefined ? join(import.meta.dirname, '../../catalog') : former;
    const service = await startService({
      directory: join(folder.path, 'data'),
      key,
      ...(main !== undefined && { main }),
      env: { HORTUS_DATABASE_URL: database.url, HORTUS_MASTER_KEY: masterKey, HORTUS_CATALOG_DIR: catalog },
    });
    undo.push(() => service.process.stop());
    return service;
  };

  const old = await start(baseline);
  const load = new UserLoad();
  undo.push(() => load.stop());
  load.add(old);
  const further = (requests: number) => {
    const wanted = load.succeeded + requests;
    return until(() => load.failures.length > 0 || load.succeeded >= wanted, {
      describe: 'more requests',
      within: 90_000,
    });
  };
  await further(REQUESTS / 5);

  const now = await start();
  load.add(now);
  await further(REQUESTS);
  expect(load.failures).toEqual([]);

  // A replica of the older version that is restarted finds the newer schema.
  const restarted = await start(baseline);
  load.add(restarted);
  await load.remove(old);
  await old.process.stop();
  await further(REQUESTS);

  await load.remove(restarted);
  await restarted.process.stop();
  await further(REQUESTS / 5);
  await load.stop();
  expect(load.failures).toEqual([]);
});
