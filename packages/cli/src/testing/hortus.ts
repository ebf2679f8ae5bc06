import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterAll } from 'vitest';
import { run } from '../run.ts';

export const main = fileURLToPath(new URL('../main.ts', import.meta.url));

/** Compiled once for all runs of a test file. */
const cache = temporaryFolder('compiled');
afterAll(cache.remove);

/** Nothing of the tester's own settings reaches the program. */
export const environment = (home: string): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: home,
  XDG_CACHE_HOME: cache.path,
  TZ: 'UTC',
});

interface Circumstances {
  readonly env?: Record<string, string>;
  readonly input?: string;
}

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The program as a user runs it, in a home folder of its own, without a terminal. */
export async function hortus(
  home: string,
  argv: readonly string[],
  { env = {}, input = '' }: Circumstances = {},
): Promise<Outcome> {
  const child = spawn(process.execPath, [main, ...argv], {
    env: { ...environment(home), ...env },
    // It ends what hangs; a program is started slowly where there is much to do.
    timeout: 100_000,
    killSignal: 'SIGKILL',
  });
  const ended = new Promise<number | null>((done, fail) => child.once('error', fail).once('close', done));
  // A program that does not read its input may be gone before it is written.
  child.stdin.on('error', () => {}).end(input);
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
}

// As in a program of its own, whose environment says so.
process.env.TZ = 'UTC';

/** The same within this process, where a command costs a hundredth of what a program does, and a pause nothing at all. */
export async function hortusHere(
  home: string,
  argv: readonly string[],
  { env = {}, input = '' }: Circumstances = {},
): Promise<Outcome> {
  let [stdout, stderr, paused] = ['', '', 0];
  const code = await run(argv, {
    terminal: {
      interactive: false,
      live: false,
      colour: false,
      width: Number.POSITIVE_INFINITY,
      out: (text) => {
        stdout += text;
      },
      note: (text) => {
        stderr += text;
      },
      ask: (question) => Promise.reject(new Error(`Nobody is there to answer ${question}`)),
      readInput: async () => input,
    },
    env: { ...environment(home), ...env },
    home,
    now: () => Date.now() + paused,
    pause: async (ms) => {
      paused += ms;
    },
    leaving: () => {},
  });
  return { code, stdout, stderr };
}
