import { execFile, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { identityOf, isAlive, type ProcessIdentity } from '../process-identity.ts';
import type { CaddyAdmin } from './caddy-admin.ts';
import { ADMIN_SOCKET } from './caddy-document.ts';

export interface CaddyProcessOptions {
  /** Program to run; undefined where there is none. */
  binary: string | undefined;
  /** Of the ingress, in the daemon's state directory. */
  directory: string;
  admin: CaddyAdmin;
  /** What it is started with. */
  empty: unknown;
}

const START_MS = 10_000;
/** Longer than it waits for requests under way. */
const END_MS = 15_000;
/** One that says nothing for this long, although it is alive, is ended. */
const SILENT_MS = 10_000;

/**
 * The Caddy of this server. It is a process of its own that outlives the daemon, so that traffic goes on while there is none;
 * the next life of the daemon finds it by its socket and leaves it as it is.
 */
export class CaddyProcess {
  readonly #options: CaddyProcessOptions;

  constructor(options: CaddyProcessOptions) {
    this.#options = options;
  }

  /** Makes sure that a Caddy of ours answers; says whether it was there already. */
  async ensure(signal: AbortSignal): Promise<'found' | 'started'> {
    const { admin, binary } = this.#options;
    if (await admin.answers()) return 'found';
    await this.#endSilent(signal);
    if (await admin.answers()) return 'found';
    if (binary === undefined) throw new Error('no Caddy is installed on this server');
    await this.#start(binary, signal);
    return 'started';
  }

  /** Ends it, for there is nothing left to lead anywhere. */
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
    // A socket that a killed one left behind.
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
      end = `Caddy ended with ${code ?? killer}`;
    });
    if (child.pid !== undefined) writeFileSync(this.#identityFile(), JSON.stringify(identityOf(child.pid) ?? {}));
    for (const late = performance.now() + START_MS; performance.now() < late; await sleep(20, undefined, { signal })) {
      if (end !== undefined) throw new Error(`${end}: ${readFileSync(output, 'utf8').trim().split('\n').at(-1)}`);
      if (await admin.answers()) return;
    }
    throw new Error(`Caddy did not answer within ${START_MS / 1000} s`);
  }

  async #endSilent(signal: AbortSignal): Promise<void> {
    const known = this.#known();
    if (known === undefined || !isAlive(known)) return;
    for (const end = performance.now() + SILENT_MS; performance.now() < end; await sleep(100, undefined, { signal })) {
      if (!isAlive(known) || (await this.#options.admin.answers())) return;
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

/** `off` means none; otherwise the program named, or the one in PATH. */
export function findCaddy(setting: string | undefined, path = process.env.PATH ?? ''): string | undefined {
  if (setting === 'off') return undefined;
  if (setting !== undefined) return existsSync(setting) ? setting : undefined;
  const places = [...path.split(delimiter), '/usr/local/bin', '/usr/bin'].filter((folder) => folder !== '');
  return places.map((folder) => join(folder, 'caddy')).find((file) => existsSync(file));
}

/** Debian's says `2.6.2`, others `v2.6.2 h1:…`. */
export async function caddyVersion(binary: string): Promise<string> {
  const { stdout } = await promisify(execFile)(binary, ['version'], { timeout: 5_000 }).catch(() => ({ stdout: '' }));
  return /\d+(\.\d+)+/.exec(stdout)?.[0] ?? 'of an unknown version';
}
