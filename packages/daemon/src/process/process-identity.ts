import { readFileSync } from 'node:fs';

/** Identifies a process beyond the reuse of its pid: by its start time and the boot it belongs to. */
export interface ProcessIdentity {
  pid: number;
  startTime: string;
  boot: string;
}

export function identityOf(pid: number): ProcessIdentity | undefined {
  const startTime = startTimeOf(pid);
  return startTime === undefined ? undefined : { pid, startTime, boot: boot() };
}

export function isAlive({ pid, startTime, boot: then }: ProcessIdentity): boolean {
  return then === boot() && startTimeOf(pid) === startTime;
}

export const sameBoot = ({ boot: then }: ProcessIdentity): boolean => then === boot();

let current: string | undefined;
function boot(): string {
  current ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return current;
}

/** Undefined for a process that ended, zombies included. */
function startTimeOf(pid: number): string | undefined {
  const fields = statOf(pid);
  return fields === undefined || fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
}

export function parentOf(pid: number): number | undefined {
  const parent = statOf(pid)?.[1];
  return parent === undefined ? undefined : Number(parent);
}

/**
 * Returns the fields of /proc/<pid>/stat from the third on; the second is a name that may contain spaces and
 * parentheses.
 */
function statOf(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
