import { readdirSync, readFileSync } from 'node:fs';

/** Returns the processor time that all threads of a process have used so far, in seconds. */
export function processorSeconds(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.reduce((sum, thread) => sum + onThread(pid, thread), 0) / 1e9;
}

function onThread(pid: number, thread: string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
  } catch {
    // Ended since the threads were listed.
    return 0;
  }
}
