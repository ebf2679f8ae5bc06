import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { askDocker } from './docker-request.ts';
import { type KeptEngine, keepEngine } from './engine-keeper.ts';

export type Docker = KeptEngine & {
  /** File with its process id. */
  readonly pidFile: string;
};

export interface DockerOptions {
  /** Folder of images and containers; a new one by default. */
  dataRoot?: string;
  /** Restarts it whenever it ends, as a service manager would. */
  restarts?: boolean;
}

const systemSocket = '/var/run/docker.sock';

/**
 * Starts a separate Docker engine with its own images, containers and networks, which leaves no trace and ends with
 * this process. Without root, uses the engine of the machine and leaves it running.
 */
export async function startDocker(options: DockerOptions = {}): Promise<Docker> {
  if (process.getuid?.() !== 0) return await runningDocker();
  const kept = await keepEngine('docker', options);
  return { ...kept, pidFile: join(dirname(kept.socketPath), 'pid') };
}

async function runningDocker(): Promise<Docker> {
  const { status } = await askDocker(systemSocket, 'GET', '/_ping').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EACCES') return { status: 0 };
    const command = `sudo usermod -aG docker ${userInfo().username}`;
    throw new Error(
      `This user may not use the Docker engine at ${systemSocket}. Allow it, then log in again:\n  ${command}`,
    );
  });
  if (status !== 200) throw new Error(`No Docker engine responds at ${systemSocket}, and only root can start one`);
  const stop = async () => {};
  return { socketPath: systemSocket, pidFile: '/var/run/docker.pid', stop, [Symbol.asyncDispose]: stop };
}

/** The engine of the test run. Tests use unique names and remove what they create. */
export function sharedDocker(): string {
  const socketPath = process.env.HORTUS_TEST_DOCKER;
  if (!socketPath) throw new Error('HORTUS_TEST_DOCKER is not set; run the tests with `npm test` or `npx vitest`');
  return socketPath;
}
