// Cleans up what an ended or killed engine leaves behind.
import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const TIMEOUT_MS = 20_000;

/** Sends SIGTERM to an engine and SIGKILL after a timeout. */
export async function endEngine(engine: ChildProcess | undefined): Promise<void> {
  if (engine === undefined || engine.exitCode !== null || engine.signalCode !== null) return;
  const timeout = setTimeout(() => engine.kill('SIGKILL'), TIMEOUT_MS);
  engine.kill('SIGTERM');
  await once(engine, 'exit');
  clearTimeout(timeout);
}

/**
 * Ends processes that an engine started and that outlive it, by the paths of its folder in their arguments. A Docker that is
 * killed while it starts a container does not know its shim afterwards; a Podman keeps a monitor for five minutes after each exec.
 */
export function endProcessesOf(folder: string): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    ignoringFailure(() => {
      const words = readFileSync(join('/proc', pid, 'cmdline'), 'utf8').split('\0');
      if (words.some((word) => word.startsWith(`${folder}/`))) process.kill(Number(pid), 'SIGKILL');
    });
  }
}

/**
 * Removes the bridges of networks that a Docker engine had when it was killed, with the interfaces on them. Which ones it
 * created is read from its own store, so bridges of other engines stay. The store may still hold ids of removed networks.
 */
export function removeBridgesOf(dataRoot: string): void {
  ignoringFailure(() => {
    const store = readFileSync(join(dataRoot, 'network/files/local-kv.db'), 'latin1');
    const ids = store.matchAll(/network\/v1\.0\/network\/([0-9a-f]{64})/g);
    const existing = new Set(readdirSync('/sys/class/net'));
    for (const bridge of new Set([...ids].map(([, id = '']) => `br-${id.slice(0, 12)}`))) {
      if (existing.has(bridge)) removeBridge(bridge);
    }
  });
}

export function removeBridge(bridge: string): void {
  ignoringFailure(() => {
    const interfaces = readdirSync(join('/sys/class/net', bridge, 'brif'));
    for (const name of [...interfaces, bridge]) ignoringFailure(() => system('ip', 'link', 'del', name));
  });
}

/** Removes a folder of processes that have ended, such as an engine, with everything that is still mounted in it. */
export function removeEngineFolder(folder: string): void {
  for (const mount of mountsBelow(folder)) ignoringFailure(() => system('umount', '--lazy', mount));
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

/** Lists innermost mounts first. */
function mountsBelow(path: string): string[] {
  const targets = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '');
  return targets.filter((target) => target.startsWith(`${path}/`)).reverse();
}

/** Runs a system command, whatever the PATH of the tests is. */
export function system(command: string, ...args: string[]): void {
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'], env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' } });
}

export function ignoringFailure(work: () => void): void {
  try {
    work();
  } catch {
    // Already gone; continue with the rest.
  }
}
