import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { identityOf, isAlive, type ProcessIdentity, sameBoot } from '../process-identity.ts';
import { type ActionOutcome, failure } from './action.ts';
import { DONE, GO } from './exec-shim-words.ts';
import { hasBegun, type Order, readResult } from './order.ts';

/** Carried out, with a result; or certainly never begun, so that it may be begun by another. */
export type ShimEnd = { begun: true; outcome: ActionOutcome } | { begun: false };

/**
 * A detached process that owns execs, one after another. This end of it may die; the other end finishes what it has
 * begun.
 */
export class Shim {
  readonly process: ProcessIdentity;
  readonly #child: ChildProcess;
  #done: (() => void) | undefined;

  private constructor(identity: ProcessIdentity, child: ChildProcess) {
    this.process = identity;
    this.#child = child;
    child.once('exit', () => this.#done?.());
    if (child.stdout) createInterface({ input: child.stdout }).on('line', (line) => line === DONE && this.#done?.());
    // Writing to one that is gone is found out by its exit.
    child.stdin?.on('error', () => undefined);
  }

  /** `command` is this program as `hortusd exec-shim`; of our environment, which may hold the server's key, it gets what starts it. */
  static async spawn(command: readonly string[], socket: string): Promise<Shim> {
    const [program = '', ...args] = command;
    const child = spawn(program, [...args, socket], {
      cwd: '/',
      env: { PATH: process.env.PATH ?? '', NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    child.unref();
    for (const stream of [child.stdin, child.stdout]) (stream as { unref?(): void } | null)?.unref?.();
    const identity = identityOf(child.pid ?? 0);
    if (identity === undefined) throw new Error('The shim of an action ended before it began.');
    return new Shim(identity, child);
  }

  get alive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Has an order carried out that is journalled already. */
  async carryOut(directory: string, order: Order): Promise<ShimEnd> {
    const done = new Promise<void>((resolve) => {
      this.#done = resolve;
    });
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    // Over the pipe and not in a file: it holds secrets.
    this.#child.stdin?.write(`${GO}${JSON.stringify({ directory, order })}\n`);
    if (this.alive) await done;
    return endOf(directory, this.process);
  }

  /** Sends home one that has nothing to do. */
  dismiss(): void {
    this.#child.stdin?.end();
  }
}

/** Waits for a shim that another life of the daemon has started. */
export async function awaitShim(directory: string, identity: ProcessIdentity, signal: AbortSignal): Promise<ShimEnd> {
  while (isAlive(identity) && readResult(directory) === undefined) await sleep(100, undefined, { signal });
  return endOf(directory, identity);
}

export function cancelShim(identity: ProcessIdentity): void {
  if (isAlive(identity)) process.kill(identity.pid, 'SIGUSR2');
}

export const removeShim = (directory: string): void => rmSync(directory, { recursive: true, force: true });

/** Of one that has said it is done, or is gone. Its files are looked at only now: nobody writes them any more. */
function endOf(directory: string, identity: ProcessIdentity): ShimEnd {
  const outcome = readResult(directory);
  if (outcome) return { begun: true, outcome };
  // After a power cut a missing file proves nothing.
  if (!hasBegun(directory) && sameBoot(identity)) return { begun: false };
  const message =
    'What carried out the action was lost before it could tell how it ended. It is not run again by itself.';
  return { begun: true, outcome: failure(message, 'unknown') };
}

export const shimDirectory = (stateDirectory: string, name: string): string => join(stateDirectory, 'exec', name);
