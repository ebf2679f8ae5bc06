import { readdirSync, readlinkSync } from 'node:fs';
import { isAbandoned } from './temporary-folder.ts';

/**
 * Ends what a killed run left behind: processes that outlive their daemon on purpose, as a Caddy does, and stand in the folder of
 * a test that is gone. They are found by where they stand, because nobody is left who knows them.
 */
export function endAbandonedProcesses(): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      // In a container the owner in the name of its folder has another number than here.
      if (readlinkSync(`/proc/${pid}/ns/pid`) !== readlinkSync('/proc/self/ns/pid')) continue;
      if (isAbandoned(readlinkSync(`/proc/${pid}/cwd`))) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended, or it is another user's.
    }
  }
}
