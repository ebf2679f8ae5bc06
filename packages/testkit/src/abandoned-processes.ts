import { readdirSync, readlinkSync } from 'node:fs';
import { isAbandoned } from './temporary-folder.ts';

/**
 * Ends leftover processes of a killed run. Some, such as Caddy, outlive their daemon on purpose; they are found by
 * their working directory in the folder of a dead test.
 */
export function endAbandonedProcesses(): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      // In another PID namespace the owner in the folder name is a different process.
      if (readlinkSync(`/proc/${pid}/ns/pid`) !== readlinkSync('/proc/self/ns/pid')) continue;
      if (isAbandoned(readlinkSync(`/proc/${pid}/cwd`))) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended, or belongs to another user.
    }
  }
}
