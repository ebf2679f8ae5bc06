import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ControlGroups } from './control-groups.ts';

/** Usage of a container since its start, and its current memory. */
export interface Reading {
  readonly cpuMicroseconds: number;
  readonly memoryBytes: number;
  readonly receivedBytes: number;
  readonly sentBytes: number;
  readonly readBytes: number;
  readonly writtenBytes: number;
}

type Counters<Name extends keyof Reading> = Pick<Reading, Name>;

/** Locations of processes: in the cgroup itself, or in subgroups of Podman and systemd. */
const PLACES = ['', 'container', 'init.scope'];

/** Undefined if the container has ended. */
export async function readContainer(
  groups: ControlGroups,
  { id, hostNetwork }: { readonly id: string; readonly hostNetwork: boolean },
): Promise<Reading | undefined> {
  const [cpu, memory] = [groups.cpu(id), groups.memory(id)];
  const [cpuMicroseconds, used, stat, network, devices] = await Promise.all([
    groups.version === 1
      ? number(join(cpu, 'cpuacct.usage')).then((ns) => ns && ns / 1_000)
      : text(join(cpu, 'cpu.stat')).then((all) => all && field(all, 'usage_usec')),
    number(join(memory, groups.version === 1 ? 'memory.usage_in_bytes' : 'memory.current')),
    text(join(memory, 'memory.stat')),
    // Traffic of the host is not attributed to a container.
    hostNetwork ? { receivedBytes: 0, sentBytes: 0 } : networkOf(cpu),
    devicesOf(groups, id),
  ]);
  if (typeof cpuMicroseconds !== 'number' || used === undefined || stat === undefined) return undefined;
  const idle = field(stat, groups.version === 1 ? 'total_inactive_file' : 'inactive_file');
  return { cpuMicroseconds, memoryBytes: Math.max(0, used - idle), ...network, ...devices };
}

async function networkOf(group: string): Promise<Counters<'receivedBytes' | 'sentBytes'>> {
  for (const place of PLACES) {
    const pid = Number.parseInt((await text(join(group, place, 'cgroup.procs'))) ?? '', 10);
    if (pid > 0) return trafficOf((await text(`/proc/${pid}/net/dev`)) ?? '');
  }
  return { receivedBytes: 0, sentBytes: 0 };
}

/** Sums interfaces, by default all except loopback; columns one and nine are received and sent bytes. */
export function trafficOf(
  netDev: string,
  isCounted: (name: string) => boolean = (name) => name !== 'lo',
): Counters<'receivedBytes' | 'sentBytes'> {
  let [receivedBytes, sentBytes] = [0, 0];
  for (const line of netDev.split('\n')) {
    const [name = '', counters] = line.split(':', 2).map((text) => text.trim());
    if (counters === undefined || !isCounted(name)) continue;
    const columns = counters.split(/\s+/);
    receivedBytes += Number(columns[0] ?? 0);
    sentBytes += Number(columns[8] ?? 0);
  }
  return { receivedBytes, sentBytes };
}

/** Zero where the kernel keeps no counters. */
async function devicesOf(groups: ControlGroups, id: string): Promise<Counters<'readBytes' | 'writtenBytes'>> {
  const folder = groups.io(id);
  if (folder === undefined) return { readBytes: 0, writtenBytes: 0 };
  if (groups.version === 2) return unifiedDevices((await text(join(folder, 'io.stat'))) ?? '');
  const name = 'blkio.throttle.io_service_bytes';
  const all = (await text(join(folder, `${name}_recursive`))) ?? (await text(join(folder, name)));
  return separateDevices(all ?? '');
}

/** Parses io.stat: `8:0 rbytes=4096 wbytes=0 rios=1 …`. */
export const unifiedDevices = (all: string) => ({
  readBytes: sumOf(all, / rbytes=(\d+)/g),
  writtenBytes: sumOf(all, / wbytes=(\d+)/g),
});

/** Parses blkio.throttle.io_service_bytes: `8:0 Read 4096`. */
export const separateDevices = (all: string) => ({
  readBytes: sumOf(all, /^\d+:\d+ Read (\d+)$/gm),
  writtenBytes: sumOf(all, /^\d+:\d+ Write (\d+)$/gm),
});

const sumOf = (all: string, pattern: RegExp): number =>
  all.matchAll(pattern).reduce((sum, [, count]) => sum + Number(count), 0);

const field = (all: string, name: string): number => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(all)?.[1] ?? 0);

const number = async (path: string): Promise<number | undefined> => {
  const all = await text(path);
  return all === undefined ? undefined : Number(all);
};

/** Undefined if the file is gone. */
const text = (path: string): Promise<string | undefined> => readFile(path, 'latin1').catch(() => undefined);
