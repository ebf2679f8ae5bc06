import { spawn } from 'node:child_process';
import { get } from 'node:http';
import { endingWithParent } from './orphan.ts';
import { until } from './until.ts';

export type Exit = { code: number | null; signal: NodeJS.Signals | null };

export type RunningProcess = AsyncDisposable & {
  readonly pid: number;
  /** Output so far; `output` contains both streams as they arrived. */
  readonly stdout: string;
  readonly stderr: string;
  readonly output: string;
  readonly running: boolean;
  readonly exited: Promise<Exit>;
  /** Waits for a line on either stream and returns it; fails at once if the process ends without it. */
  waitForLine(pattern: string | RegExp, options?: { within?: number }): Promise<string>;
  /** Waits until a GET of `url` returns 200. */
  waitForHttp(url: string, options?: { within?: number }): Promise<void>;
  /** Sends a signal, SIGKILL by default, and waits for the end. */
  kill(signal?: NodeJS.Signals): Promise<Exit>;
  /** Sends SIGTERM and, after `within` milliseconds, SIGKILL. */
  stop(options?: { within?: number }): Promise<Exit>;
};

export type ProcessOptions = {
  /** Merged into the environment of this process; undefined removes a variable. */
  env?: Record<string, string | undefined>;
  cwd?: string;
};

const alive = new Set<() => void>();
process.on('exit', () => {
  for (const end of alive) end();
});

/**
 * Starts a child process. It ends with `stop()`, `kill()` or an `await using` block, and at the latest by SIGKILL with
 * the test process: through the exit handler above, or through the kernel.
 */
export function startProcess(argv: readonly [string, ...string[]], options: ProcessOptions = {}): RunningProcess {
  const [command, ...args] = endingWithParent(argv, 'SIGKILL') as [string, ...string[]];
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (child.pid === undefined) throw new Error(`${command} cannot be started`);
  const name = argv.join(' ');

  const text = { stdout: '', stderr: '', output: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (chunk: string) => {
      text[stream] += chunk;
      text.output += chunk;
    });
  }

  let running = true;
  let drained = false;
  const end = () => child.kill('SIGKILL');
  alive.add(end);
  // Wait for `exit`, not `close`: a grandchild that keeps the pipe open must not make a dead process look alive.
  const exited = new Promise<Exit>((done) => {
    child.once('exit', (code, signal) => {
      running = false;
      alive.delete(end);
      done({ code, signal });
    });
  });
  child.once('close', () => {
    drained = true;
  });

  const waitFor = async <T>(what: string, poll: () => Promise<T | undefined>, within = 60_000): Promise<T> => {
    // Kept, because a second look may differ: a busy service that has just answered may be late the next time.
    let found: T | undefined;
    await until(
      async () => {
        const last = drained;
        found = await poll();
        return last || found !== undefined;
      },
      { within, describe: () => `${what} from ${name}, which wrote:\n${text.output}` },
    );
    if (found !== undefined) return found;
    const { code, signal } = await exited;
    throw new Error(`${name} ended (${signal ?? code}) without ${what} and wrote:\n${text.output}`);
  };

  const kill = async (signal: NodeJS.Signals = 'SIGKILL') => {
    if (running) child.kill(signal);
    return await exited;
  };

  const stop = async ({ within = 10_000 } = {}) => {
    const timeout = setTimeout(end, within);
    try {
      return await kill('SIGTERM');
    } finally {
      clearTimeout(timeout);
    }
  };

  return {
    pid: child.pid,
    get stdout() {
      return text.stdout;
    },
    get stderr() {
      return text.stderr;
    },
    get output() {
      return text.output;
    },
    get running() {
      return running;
    },
    exited,
    waitForLine: (pattern, { within } = {}) =>
      waitFor(`the line ${pattern}`, async () => wholeLines(text).find((line) => matches(line, pattern)), within),
    waitForHttp: async (url, { within } = {}) => {
      await waitFor(`a response of ${url}`, async () => ((await responds(url)) ? true : undefined), within);
    },
    kill,
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop();
    },
  };
}

/** Lists complete lines of each stream, so that callers never read a partial value. */
function wholeLines({ stdout, stderr }: { stdout: string; stderr: string }): string[] {
  return [...stdout.split('\n').slice(0, -1), ...stderr.split('\n').slice(0, -1)];
}

function matches(line: string, pattern: string | RegExp): boolean {
  return typeof pattern === 'string' ? line.includes(pattern) : line.search(pattern) >= 0;
}

/** Not by `fetch`: one was seen that ended neither with its connection nor with the time limit in its signal. */
const responds = (url: string): Promise<boolean> =>
  new Promise((done) => {
    const request = get(url, { agent: false, timeout: 2_000 }, ({ statusCode }) => {
      done(statusCode === 200);
      request.destroy();
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => done(false));
    request.on('close', () => done(false));
  });
