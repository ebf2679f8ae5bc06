// What an engine leaves when nobody wants it any more, and how its keeper takes it away.
import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';

const PATIENCE_MS = 20_000;

/** Asks the process of an engine to end, and insists after a while. */
export async function endEngine(engine: ChildProcess | undefined): Promise<void> {
  if (engine === undefined || engine.exitCode !== null || engine.signalCode !== null) return;
  const patience = setTimeout(() => engine.kill('SIGKILL'), PATIENCE_MS);
  engine.kill('SIGTERM');
  await once(engine, 'exit');
  clearTimeout(patience);
}

/** Removes the folder of an engine that has ended, with everything that is still mounted in it. */
export function removeEngineFolder(folder: string): void {
  for (const mount of mountsBelow(folder)) ignoringFailure(() => system('umount', '--lazy', mount));
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

/** The innermost first. */
function mountsBelow(path: string): string[] {
  const targets = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '');
  return targets.filter((target) => target.startsWith(`${path}/`)).reverse();
}

/** A command of the system, whatever PATH the tests have. */
export function system(command: string, ...args: string[]): void {
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'], env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' } });
}

export function ignoringFailure(work: () => void): void {
  try {
    work();
  } catch {
    // It was gone already; clearing up goes on with the rest.
  }
}
