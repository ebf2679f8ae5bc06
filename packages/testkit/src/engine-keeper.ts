import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export type KeptEngine = AsyncDisposable & {
  readonly socketPath: string;
  /** Ends the engine with everything in it. */
  stop(): Promise<void>;
};

/**
 * Starts an engine through a process of its own, which outlives the tests and clears up after them, however they end. It says
 * `ready` when the engine answers at `<folder>/<name>.sock`, or else why it does not, and goes when its standard input closes.
 * What the options mean is its own affair.
 */
export async function keepEngine(name: 'docker' | 'podman', options: object = {}): Promise<KeptEngine> {
  // Short, because the path of a socket may have no more than 107 bytes, and not in a folder that goes before the engine does.
  const folder = join('/tmp', `hortus-${name}-${randomBytes(4).toString('hex')}`);
  const keeper = spawn(
    process.execPath,
    [join(import.meta.dirname, `${name}-keeper.ts`), folder, JSON.stringify(options)],
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
      return { socketPath: join(folder, `${name}.sock`), stop, [Symbol.asyncDispose]: stop };
    }
    await stop();
    throw new Error(line);
  }
  throw new Error(`The keeper of the ${name} engine ended without a word`);
}
