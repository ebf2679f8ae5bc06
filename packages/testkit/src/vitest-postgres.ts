import { endAbandonedProcesses } from './abandoned-processes.ts';
import { startPostgres } from './postgres.ts';
import { removeAbandonedFolders } from './temporary-folder.ts';

/** Vitest's global setup: starts a server for `npx vitest`; `npm test` provides one in the environment. */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.HORTUS_TEST_POSTGRES) return undefined;
  endAbandonedProcesses();
  removeAbandonedFolders();
  const postgres = await startPostgres();
  process.env.HORTUS_TEST_POSTGRES = postgres.url;
  return async () => {
    delete process.env.HORTUS_TEST_POSTGRES;
    await postgres.stop();
  };
}
