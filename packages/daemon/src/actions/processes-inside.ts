import { readdirSync, readFileSync } from 'node:fs';
import { parentOf } from '../process-identity.ts';

/**
 * Lists the processes of an exec on the server: the engine's process, its descendants, and detached ones with the mark
 * in their environment. Empty if they are not visible from here, for example when the daemon runs in a container;
 * processes that only share a pid are never returned.
 */
export function processesOf(pid: number, container: string, mark: string): number[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  const found = new Set(all.filter((one) => isMarked(one, mark)));
  if (pid > 0 && (found.has(pid) || isIn(pid, container))) found.add(pid);
  const parents = new Map(all.map((one) => [one, parentOf(one)]));
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const [one, parent] of parents) if (parent !== undefined && found.has(parent)) found.add(one);
  }
  return [...found];
}

/** Returns true if any process received the signal. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): boolean {
  let reached = false;
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
      reached = true;
    } catch {
      // It has ended in the meantime.
    }
  }
  return reached;
}

function isMarked(pid: number, mark: string): boolean {
  return `\0${read(`/proc/${pid}/environ`)}`.includes(`\0${mark}\0`);
}

/** The first process of an exec is in the cgroup of its container. */
function isIn(pid: number, container: string): boolean {
  return container !== '' && read(`/proc/${pid}/cgroup`).includes(container);
}

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
