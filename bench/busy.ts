import { readFileSync } from 'node:fs';

const TICKS_A_SECOND = 100;

/** Sums the CPU time of processes and their reaped children; independent of other load. */
export function busySeconds(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return sum + fields.slice(11, 15).reduce((ticks, field) => ticks + Number(field), 0) / TICKS_A_SECOND;
  }, 0);
}
