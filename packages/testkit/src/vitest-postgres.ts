import { endAbandonedProcesses } from './abandoned-processes.ts';
import { startPostgres } from './postgres.ts';
import { removeAbandonedFolders } from './temporary-folder.ts';

/**
 * Vitest's global setup. `npm test` starts the engines itself and names them in the environment; someone who runs `npx vitest`
 * on one file gets the same server here.
 */
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
