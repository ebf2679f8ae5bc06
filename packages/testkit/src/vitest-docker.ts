import { startDocker } from './docker.ts';

/** Vitest's global setup: starts an engine for `npx vitest`; `npm test` provides one in the environment. */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.HORTUS_TEST_DOCKER) return undefined;
  const docker = await startDocker();
  process.env.HORTUS_TEST_DOCKER = docker.socketPath;
  return async () => {
    delete process.env.HORTUS_TEST_DOCKER;
    await docker.stop();
  };
}
