import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine, ExecHandle } from '../engine/engine.ts';
import { processesOf, signalAll } from './processes-inside.ts';

/** How long a process may tidy up after it was asked to end. */
const GRACE = 1_000;

/**
 * Ends the command of an exec inside its container; the engine itself has no call for that. First by its process ids on
 * this server. Where they cannot be seen from here, a shell of the container is asked to look for the mark itself.
 * True if nothing of it is left as far as can be seen.
 */
export async function endInside(engine: Engine, exec: ExecHandle, container: string, mark: string): Promise<boolean> {
  const found = await exec.inspect().catch(() => undefined);
  if (found && !found.running) return true;
  const remaining = () => processesOf(found?.pid ?? 0, container, mark);
  if (remaining().length === 0) return endFromWithin(engine, container, mark);
  signalAll(remaining(), 'SIGTERM');
  for (const deadline = performance.now() + GRACE; remaining().length > 0 && performance.now() < deadline; ) {
    await sleep(20);
  }
  // Again and again, because what forks faster than it is listed leaves children that are not on the list.
  for (let attempt = 0; attempt < 50; attempt++) {
    const left = remaining();
    if (left.length === 0) return true;
    signalAll(left, 'SIGKILL');
    await sleep(20);
  }
  return false;
}

const LOOK_AND_KILL = `for p in /proc/[0-9]*; do
  if tr '\\000' '\\n' < "$p/environ" 2>/dev/null | grep -qxF -- "$1"; then kill -9 "\${p#/proc/}" 2>/dev/null; fi
done; exit 0`;

async function endFromWithin(engine: Engine, container: string, mark: string): Promise<boolean> {
  try {
    const kill = await engine.exec(container, { argv: ['sh', '-c', LOOK_AND_KILL, 'sh', mark], user: '0' });
    for await (const _ of kill.output);
    return (await kill.inspect()).exitCode === 0;
  } catch {
    return false;
  }
}
