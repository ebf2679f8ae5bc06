import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { KEPT_ENGINE } from './run-processes.ts';

export type KeptEngine = AsyncDisposable & {
  readonly socketPath: string;
  /** Ends the engine with everything in it. */
  stop(): Promise<void>;
};

/**
 * Starts an engine through a keeper process that outlives the tests and cleans up after them. The keeper prints `ready`
 * when the engine responds at `<folder>/<name>.sock`, or else an error, and ends when its standard input closes. It
 * interprets the options itself.
 */
export async function keepEngine(name: 'docker' | 'podman' | 'swarm', options: object = {}): Promise<KeptEngine> {
  // Short, because socket paths are limited to 107 bytes, and not in a folder that is removed before the engine.
  const folder = join('/tmp', `hortus-${name}-${randomBytes(4).toString('hex')}`);
  const keeper = spawn(
    process.execPath,
    [join(import.meta.dirname, `${name}-keeper.ts`), folder, JSON.stringify(options)],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
      // Ctrl-C in a terminal goes to the whole group; the keeper must outlive the tests.
      detached: true,
      cwd: '/',
      env: { ...process.env, [KEPT_ENGINE]: name },
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
      // If the tests end without calling stop, the keeper notices.
      keeper.unref();
      return { socketPath: join(folder, `${name}.sock`), stop, [Symbol.asyncDispose]: stop };
    }
    await stop();
    throw new Error(line);
  }
  throw new Error(`The keeper of the ${name} engine ended without a message`);
}
