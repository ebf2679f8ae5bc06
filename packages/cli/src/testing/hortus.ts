import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { cliMain } from '@hortus/testkit/programs';
import { run } from '../run.ts';

/** Environment without the developer's own settings. */
export const environment = (home: string): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: home,
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

/** Runs the program as a user does, with its own home folder and no terminal. */
export async function hortus(
  home: string,
  argv: readonly string[],
  { env = {}, input = '' }: Circumstances = {},
): Promise<Outcome> {
  const child = spawn(process.execPath, [cliMain, ...argv], {
    env: { ...environment(home), ...env },
    // Ends a hanging process; generous because a loaded machine starts processes slowly.
    timeout: 100_000,
    killSignal: 'SIGKILL',
  });
  const ended = new Promise<number | null>((done, fail) => child.once('error', fail).once('close', done));
  // A program that does not read its input may exit before it is written.
  child.stdin.on('error', () => {}).end(input);
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
}

// Set here because it is part of the environment of the real program.
process.env.TZ = 'UTC';

/** Runs a command in this process: a hundred times faster, and pauses take no time. */
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
      ask: (question) => Promise.reject(new Error(`No terminal to answer ${question}`)),
      readInput: async () => input,
      openScreen: () => {
        throw new Error('There is no terminal.');
      },
    },
    rawTerminal: () => {
      throw new Error('Commands with a raw terminal are run as a process.');
    },
    programs: { start: async () => false, run: async () => undefined },
    env: { ...environment(home), ...env },
    home,
    now: () => Date.now() + paused,
    pause: async (ms) => {
      paused += ms;
    },
    leaving: () => {},
    interrupted: () => new AbortController().signal,
  });
  return { code, stdout, stderr };
}
