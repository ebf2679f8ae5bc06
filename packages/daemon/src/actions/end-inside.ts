import { setTimeout as sleep } from 'node:timers/promises';
import { paced, type Rate } from '../concurrency/token-bucket.ts';
import type { Engine, ExecHandle } from '../engine/engine.ts';
import { processesOf, signalAll } from './processes-inside.ts';

/** Time for a process to exit after SIGTERM. */
const GRACE = 1_000;

/**
 * Kills the command of an exec; the engine has no call for that. Uses process ids on this server, or, if they are not
 * visible from here, a shell in the container that looks for the mark. Returns true if no process is left as far as
 * visible.
 */
export async function endInside(engine: Engine, exec: ExecHandle, container: string, mark: string): Promise<boolean> {
  const found = await exec.inspect().catch(() => undefined);
  if (found && !found.running) return true;
  const remaining = async () => await processesOf(found?.pid ?? 0, container, mark);
  if ((await remaining()).length === 0) return endFromWithin(engine, container, mark);
  signalAll(await remaining(), 'SIGTERM');
  for (const deadline = performance.now() + GRACE; performance.now() < deadline && (await remaining()).length > 0; ) {
    await sleep(20);
  }
  // Repeatedly, because a fast fork may leave children that were not listed.
  for (let attempt = 0; attempt < 50; attempt++) {
    const left = await remaining();
    if (left.length === 0) return true;
    signalAll(left, 'SIGKILL');
    await sleep(20);
  }
  return false;
}

/** The shell is one of the container, which may print anything and never end. */
const WITHIN_MS = 30_000;
const READING: Rate = { perSecond: 64 * 1024, burst: 64 * 1024 };

const FIND_AND_KILL = `for p in /proc/[0-9]*; do
  if tr '\\000' '\\n' < "$p/environ" 2>/dev/null | grep -qxF -- "$1"; then kill -9 "\${p#/proc/}" 2>/dev/null; fi
done; exit 0`;

async function endFromWithin(engine: Engine, container: string, mark: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(WITHIN_MS);
    const kill = await engine.exec(container, { argv: ['sh', '-c', FIND_AND_KILL, 'sh', mark], user: '0' }, signal);
    for await (const _ of paced(kill.output, READING, signal));
    return (await kill.inspect()).exitCode === 0;
  } catch {
    return false;
  }
}
