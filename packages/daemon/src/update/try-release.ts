import { type ChildProcess, spawn } from 'node:child_process';
import { guarded } from '../guard.ts';
import type { Log } from '../log.ts';
import { identityOf, type ProcessIdentity } from '../process/process-identity.ts';
import { type FromCandidate, TRIAL_VARIABLE } from './trial-messages.ts';

export interface TrialOptions {
  readonly file: string;
  /** Arguments of this daemon. */
  readonly args: readonly string[];
  /** Program that the candidate becomes if this process is killed. */
  readonly former: string;
  readonly withinMs: number;
  /** Records the candidate before it may open the journal. */
  readonly onSpawned: (candidate: ProcessIdentity) => void;
  /** Commits to the new release; afterwards the candidate ends. */
  readonly onProved: () => void;
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly boundary?: ((moment: string) => void) | undefined;
}

/** Time for a candidate to close its journal. */
const END_MS = 10_000;

/**
 * Runs a new binary as a candidate beside this process, which has stopped its daemon. Throws with the reason if it does not prove
 * itself. No candidate is alive when it settles.
 */
export async function tryRelease(options: TrialOptions): Promise<void> {
  const { file, args, former, onSpawned, onProved, boundary, log } = options;
  const child = spawn(file, args, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, [TRIAL_VARIABLE]: former },
  });
  const exited = new Promise<string>((done) => {
    const failed = (error: Error) => done(error.message);
    const ended = (code: number | null, killer: string | null) => done(`it ended with ${killer ?? code}`);
    child.once('error', guarded(log, failed));
    child.once('exit', guarded(log, ended));
  });
  try {
    boundary?.('spawned');
    const identity = child.pid === undefined ? undefined : identityOf(child.pid);
    if (identity) {
      onSpawned(identity);
      // A candidate that ended meanwhile is noticed by its exit.
      child.send({ type: 'begin' }, () => undefined);
      boundary?.('begun');
    }
    await proof(child, exited, options);
    boundary?.('proved');
    onProved();
    boundary?.('committed');
    child.kill('SIGTERM');
    await Promise.race([exited, after(END_MS)]);
  } finally {
    child.kill('SIGKILL');
    await exited;
  }
}

/** Resolves when the candidate has proved itself; rejects with what it lacked. */
async function proof(
  child: ChildProcess,
  exited: Promise<string>,
  { withinMs, signal, log }: TrialOptions,
): Promise<void> {
  let step = 'start';
  const ended = new AbortController();
  try {
    await new Promise<void>((proved, fail) => {
      const onReceived = (said: unknown) => {
        const message = said as FromCandidate;
        if (message.type === 'step') step = String(message.name).slice(0, 200);
        else if (message.type === 'proved') proved();
        else if (message.type === 'failed') fail(new Error(String(message.message).slice(0, 800)));
      };
      child.on('message', guarded(log, onReceived));
      void exited.then((end) => fail(new Error(`${end} at the step "${step}"`)));
      void after(withinMs, ended.signal).then(() =>
        fail(new Error(`it did not prove itself healthy within ${withinMs / 1000} s; it waits at the step "${step}"`)),
      );
      const stop = () => fail(new Error('the daemon was stopped'));
      if (signal.aborted) stop();
      signal.addEventListener('abort', guarded(log, stop), { signal: ended.signal });
    });
  } finally {
    ended.abort();
  }
}

const after = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((done) => {
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', () => clearTimeout(timer), { once: true });
  });
