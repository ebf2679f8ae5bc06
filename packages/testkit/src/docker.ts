import { dirname, join } from 'node:path';
import { askDocker } from './docker-request.ts';
import { type KeptEngine, keepEngine } from './engine-keeper.ts';

export type Docker = KeptEngine & {
  /** Holds the number of its process. */
  readonly pidFile: string;
};

export interface DockerOptions {
  /** Where it keeps images and containers; in a folder of its own unless given. */
  dataRoot?: string;
  /** Started again whenever it ends, as a machine's service manager would. */
  restarts?: boolean;
}

const systemSocket = '/var/run/docker.sock';

/**
 * A real Docker engine of its own: own images, containers and networks, no trace afterwards. It ends with this process, however
 * that ends. Who may not start one gets the engine that runs on the machine, which is left as it is.
 */
export async function startDocker(options: DockerOptions = {}): Promise<Docker> {
  if (process.getuid?.() !== 0) return await runningDocker();
  const kept = await keepEngine('docker', options);
  return { ...kept, pidFile: join(dirname(kept.socketPath), 'pid') };
}

async function runningDocker(): Promise<Docker> {
  const { status } = await askDocker(systemSocket, 'GET', '/_ping').catch(() => ({ status: 0 }));
  if (status !== 200) throw new Error(`No Docker engine answers at ${systemSocket}, and only root can start one`);
  const stop = async () => {};
  return { socketPath: systemSocket, pidFile: '/var/run/docker.pid', stop, [Symbol.asyncDispose]: stop };
}

/** The engine that the test run started. Tests on it use names of their own and take away what they made. */
export function sharedDocker(): string {
  const socketPath = process.env.HORTUS_TEST_DOCKER;
  if (!socketPath) throw new Error('HORTUS_TEST_DOCKER is not set; run the tests with `npm test` or `npx vitest`');
  return socketPath;
}
