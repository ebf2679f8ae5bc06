import { readdirSync, readFileSync } from 'node:fs';
import { parentOf } from '../process/process-identity.ts';

/** Processes that are read without a pause for other work; a container may have thousands. */
const PAUSE_EVERY = 100;

/**
 * Lists the processes of an exec on the server: the engine's process, its descendants, and detached ones with the mark
 * in their environment. Empty if they are not visible from here, for example when the daemon runs in a container;
 * processes that only share a pid are never returned.
 */
export async function processesOf(pid: number, container: string, mark: string): Promise<number[]> {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  const found = new Set<number>();
  const children = new Map<number, number[]>();
  for (const [index, number] of all.entries()) {
    if (index % PAUSE_EVERY === PAUSE_EVERY - 1) await new Promise(setImmediate);
    if (isMarked(number, mark)) found.add(number);
    const parent = parentOf(number);
    if (parent === undefined) continue;
    const siblings = children.get(parent);
    if (siblings) siblings.push(number);
    else children.set(parent, [number]);
  }
  if (pid > 0 && (found.has(pid) || isIn(pid, container))) found.add(pid);
  // A set yields what is added while it is read.
  for (const number of found) for (const child of children.get(number) ?? []) found.add(child);
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
