import { readFile, statfs } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import type { CapacityReport } from '@hortus/contract/resources/capacity';

interface CpuTimes {
  busy: number;
  all: number;
}

/** Measures the load of this server; CPU usage covers the time since the last call. */
export class CapacityMeter {
  readonly #diskPath: string;
  #before: CpuTimes | undefined;

  constructor(diskPath: string) {
    this.#diskPath = diskPath;
  }

  async read(): Promise<CapacityReport> {
    const [memory, times, disk] = await Promise.all([
      readFile('/proc/meminfo', 'utf8').then(memoryOf),
      readFile('/proc/stat', 'utf8').then(cpuTimesOf),
      statfs(this.#diskPath),
    ]);
    const before = this.#before ?? { busy: 0, all: 0 };
    this.#before = times;
    const all = times.all - before.all;
    const percent = all > 0 ? ((times.busy - before.busy) / all) * 100 : 0;
    return {
      memory,
      cpu: { cores: availableParallelism(), used_percent: Math.min(100, Math.max(0, Math.round(percent * 10) / 10)) },
      disk: { used: (disk.blocks - disk.bfree) * disk.bsize, free: disk.bavail * disk.bsize },
    };
  }
}

/** Parses /proc/meminfo; free memory includes reclaimable caches. */
export function memoryOf(meminfo: string): CapacityReport['memory'] {
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(meminfo)?.[1] ?? 0) * 1024;
  const free = bytes('MemAvailable');
  return { used: Math.max(0, bytes('MemTotal') - free), free };
}

export function cpuTimesOf(stat: string): CpuTimes {
  const fields = (stat.split('\n', 1)[0] ?? '').trim().split(/\s+/).slice(1, 9).map(Number);
  const all = fields.reduce((sum, field) => sum + field, 0);
  // Fields four and five are idle and iowait.
  return { busy: all - (fields[3] ?? 0) - (fields[4] ?? 0), all };
}
