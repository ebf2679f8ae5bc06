import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ActionOutcome, failure } from '../journal/action.ts';
import { identityOf, isAlive, type ProcessIdentity, sameBoot } from '../process/process-identity.ts';
import { DONE, GO } from './exec-shim-words.ts';
import { hasBegun, type Order, readResult } from './order.ts';

/** Run with an outcome, or certainly never started, so that another shim may run it. */
export type ShimEnd = { begun: true; outcome: ActionOutcome } | { begun: false };

/** A detached process that runs execs one after another. It finishes its current order even if the daemon dies. */
export class Shim {
  readonly process: ProcessIdentity;
  readonly #child: ChildProcess;
  #done: (() => void) | undefined;

  private constructor(identity: ProcessIdentity, child: ChildProcess) {
    this.process = identity;
    this.#child = child;
    child.once('exit', () => this.#done?.());
    if (child.stdout) createInterface({ input: child.stdout }).on('line', (line) => line === DONE && this.#done?.());
    // A write to a dead shim shows in its exit event.
    child.stdin?.on('error', () => undefined);
  }

  /**
   * `command` is this program as `hortusd exec-shim`. It gets a minimal environment, because ours may contain the
   * server key.
   */
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
    if (identity === undefined) throw new Error('The shim process exited before it started.');
    return new Shim(identity, child);
  }

  get alive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Runs an order that is already journalled. */
  async carryOut(directory: string, order: Order): Promise<ShimEnd> {
    const done = new Promise<void>((resolve) => {
      this.#done = resolve;
    });
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    // Sent over the pipe, not in a file, because it contains secrets.
    this.#child.stdin?.write(`${GO}${JSON.stringify({ directory, order })}\n`);
    if (this.alive) await done;
    return endOf(directory, this.process);
  }

  /** Ends an idle shim. */
  dismiss(): void {
    this.#child.stdin?.end();
  }
}

/** Waits for a shim that an earlier daemon process started. */
export async function awaitShim(directory: string, identity: ProcessIdentity, signal: AbortSignal): Promise<ShimEnd> {
  while (isAlive(identity) && readResult(directory) === undefined) await sleep(100, undefined, { signal });
  return endOf(directory, identity);
}

export function cancelShim(identity: ProcessIdentity): void {
  if (isAlive(identity)) process.kill(identity.pid, 'SIGUSR2');
}

export const removeShim = (directory: string): void => rmSync(directory, { recursive: true, force: true });

/** Reads the end of a shim that is done or dead; its files do not change any more. */
function endOf(directory: string, identity: ProcessIdentity): ShimEnd {
  const outcome = readResult(directory);
  if (outcome) return { begun: true, outcome };
  // After a power cut a missing file proves nothing.
  if (!hasBegun(directory) && sameBoot(identity)) return { begun: false };
  const message =
    'The process that ran the action was lost before it reported a result. The action is not repeated automatically.';
  return { begun: true, outcome: failure(message, 'unknown') };
}

export const shimDirectory = (stateDirectory: string, name: string): string => join(stateDirectory, 'exec', name);
