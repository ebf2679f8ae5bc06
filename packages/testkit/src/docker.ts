import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { askDocker } from './docker-request.ts';

export type Docker = AsyncDisposable & {
  readonly socketPath: string;
  /** Holds the number of its process. */
  readonly pidFile: string;
  /** Ends the engine with everything in it, if it was started here. */
  stop(): Promise<void>;
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
  // Short, because the path of a socket may have no more than 107 bytes, and not in a folder that goes before the engine does.
  const folder = join('/tmp', `hortus-docker-${randomBytes(4).toString('hex')}`);
  const keeper = spawn(
    process.execPath,
    [join(import.meta.dirname, 'docker-keeper.ts'), folder, JSON.stringify(options)],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
      // Ctrl-C in a terminal goes to the whole group; the keeper must outlive the tests.
      detached: true,
      cwd: '/',
    },
  );
  keeper.stdin.on('error', () => {});
  const ended = once(keeper, 'exit');
  const stop = async () => {
    keeper.ref();
    keeper.stdin.end();
    await ended;
  };
  for await (const line of createInterface(keeper.stdout)) {
    if (line === 'ready') {
      keeper.stdout.resume();
      // The tests may end without asking; the keeper notices.
      keeper.unref();
      const [socketPath, pidFile] = [join(folder, 'docker.sock'), join(folder, 'pid')];
      return { socketPath, pidFile, stop, [Symbol.asyncDispose]: stop };
    }
    await stop();
    throw new Error(line);
  }
  throw new Error('The keeper of the Docker engine ended without a word');
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
