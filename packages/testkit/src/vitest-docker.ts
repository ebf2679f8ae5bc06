import { startDocker } from './docker.ts';

/** Vitest's global setup: the same engine for someone who runs `npx vitest` as `npm test` gives by the environment. */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.HORTUS_TEST_DOCKER) return undefined;
  const docker = await startDocker();
  process.env.HORTUS_TEST_DOCKER = docker.socketPath;
  return async () => {
    delete process.env.HORTUS_TEST_DOCKER;
    await docker.stop();
  };
}
