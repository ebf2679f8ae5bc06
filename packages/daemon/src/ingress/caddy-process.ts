import { execFile, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { identityOf, isAlive, type ProcessIdentity } from '../process/process-identity.ts';
import type { CaddyAdmin } from './caddy-admin.ts';
import { ADMIN_SOCKET } from './caddy-document.ts';

export interface CaddyProcessOptions {
  /** Program to run; undefined if Caddy is not available. */
  binary: string | undefined;
  /** Folder of the ingress in the daemon's state directory. */
  directory: string;
  admin: CaddyAdmin;
  /** Configuration that it is started with. */
  empty: unknown;
}

const START_MS = 10_000;
/** Longer than Caddy waits for open requests. */
const END_MS = 15_000;
/** A live process that does not respond for this long is killed. */
const SILENT_MS = 10_000;

/**
 * Runs the Caddy of this server as a separate process that outlives the daemon, so that traffic continues without it. A
 * restarted daemon finds it by its socket and does not interrupt it.
 */
export class CaddyProcess {
  readonly #options: CaddyProcessOptions;

  constructor(options: CaddyProcessOptions) {
    this.#options = options;
  }

  /** Ensures that our Caddy responds; returns whether it was already running. */
  async ensure(signal: AbortSignal): Promise<'found' | 'started'> {
    const { admin, binary } = this.#options;
    if (await admin.responds()) return 'found';
    await this.#endSilent(signal);
    if (await admin.responds()) return 'found';
    if (binary === undefined) throw new Error('Caddy is not installed on this server');
    await this.#start(binary, signal);
    return 'started';
  }

  isRunning(): boolean {
    const known = this.#known();
    return known !== undefined && isAlive(known);
  }

  /** Ends Caddy; called when no routes are left. */
  async end(): Promise<void> {
    const known = this.#known();
    if (known === undefined || !isAlive(known)) return;
    process.kill(known.pid, 'SIGTERM');
    for (const late = performance.now() + END_MS; isAlive(known); await sleep(20)) {
      if (performance.now() >= late) process.kill(known.pid, 'SIGKILL');
    }
  }

  async #start(binary: string, signal: AbortSignal): Promise<void> {
    const { directory, admin, empty } = this.#options;
    const config = join(directory, 'empty.json');
    const output = join(directory, 'caddy.out');
    writeFileSync(config, JSON.stringify(empty), { mode: 0o600 });
    // Remove the socket of a killed process.
    rmSync(join(directory, ADMIN_SOCKET), { force: true });
    const descriptor = openSync(output, 'w', 0o600);
    const child = spawn(binary, ['run', '--config', config], {
      detached: true,
      cwd: directory,
      stdio: ['ignore', descriptor, descriptor],
      env: { PATH: process.env.PATH, HOME: directory, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory },
    });
    closeSync(descriptor);
    child.unref();
    let end: string | undefined;
    child.on('error', (error) => {
      end = error.message;
    });
    child.on('exit', (code, killer) => {
      end = `Caddy exited with ${code ?? killer}`;
    });
    if (child.pid !== undefined) writeFileSync(this.#identityFile(), JSON.stringify(identityOf(child.pid) ?? {}));
    for (const late = performance.now() + START_MS; performance.now() < late; await sleep(20, undefined, { signal })) {
      if (end !== undefined) throw new Error(`${end}: ${readFileSync(output, 'utf8').trim().split('\n').at(-1)}`);
      if (await admin.responds()) return;
    }
    throw new Error(`Caddy did not respond within ${START_MS / 1000} s`);
  }

  async #endSilent(signal: AbortSignal): Promise<void> {
    const known = this.#known();
    if (known === undefined || !isAlive(known)) return;
    for (const end = performance.now() + SILENT_MS; performance.now() < end; await sleep(100, undefined, { signal })) {
      if (!isAlive(known) || (await this.#options.admin.responds())) return;
    }
    process.kill(known.pid, 'SIGKILL');
    while (isAlive(known)) await sleep(20, undefined, { signal });
  }

  #known(): ProcessIdentity | undefined {
    try {
      return JSON.parse(readFileSync(this.#identityFile(), 'utf8')) as ProcessIdentity;
    } catch {
      return undefined;
    }
  }

  #identityFile(): string {
    return join(this.#options.directory, 'caddy.pid');
  }
}

/** Returns the configured program or the one in PATH; `off` disables it. */
export function findCaddy(setting: string | undefined, path = process.env.PATH ?? ''): string | undefined {
  if (setting === 'off') return undefined;
  if (setting !== undefined) return existsSync(setting) ? setting : undefined;
  const places = [...path.split(delimiter), '/usr/local/bin', '/usr/bin'].filter((folder) => folder !== '');
  return places.map((folder) => join(folder, 'caddy')).find((file) => existsSync(file));
}

/** Parses `2.6.2` (Debian) or `v2.6.2 h1:…`. */
export async function caddyVersion(binary: string): Promise<string> {
  const { stdout } = await promisify(execFile)(binary, ['version'], { timeout: 5_000 }).catch(() => ({ stdout: '' }));
  return /(?<!\d)\d+(\.\d+)+/.exec(stdout)?.[0] ?? '(unknown version)';
}
