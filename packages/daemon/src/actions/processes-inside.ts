import { readdirSync, readFileSync } from 'node:fs';
import { parentOf } from '../process-identity.ts';

/**
 * The processes of one exec, seen from the server: the one the engine names, everything below it, and whatever else
 * carries the mark in its environment because it left its parent. Empty when they cannot be seen from here, as in a
 * container of our own, and then nothing that merely has the same number is touched.
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

/** True if it reached any of them. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): boolean {
  let reached = false;
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
      reached = true;
    } catch {
      // It ended by itself meanwhile.
    }
  }
  return reached;
}

function isMarked(pid: number, mark: string): boolean {
  return `\0${read(`/proc/${pid}/environ`)}`.includes(`\0${mark}\0`);
}

/** The first process of an exec is in the control group of its container. */
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
