import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ControlGroups } from './control-groups.ts';

/** Usage of a container since its start, and its current memory. */
export interface Reading {
  readonly cpuMicroseconds: number;
  readonly memoryBytes: number;
  readonly receivedBytes: number;
  readonly sentBytes: number;
}

/** Locations of processes: in the cgroup itself, or in subgroups of Podman and systemd. */
const PLACES = ['', 'container', 'init.scope'];

/** Undefined if the container has ended. */
export async function readContainer(
  groups: ControlGroups,
  { id, hostNetwork }: { readonly id: string; readonly hostNetwork: boolean },
): Promise<Reading | undefined> {
  const [cpu, memory] = [groups.cpu(id), groups.memory(id)];
  const [cpuMicroseconds, used, stat, network] = await Promise.all([
    groups.version === 1
      ? number(join(cpu, 'cpuacct.usage')).then((ns) => ns && ns / 1_000)
      : text(join(cpu, 'cpu.stat')).then((all) => all && field(all, 'usage_usec')),
    number(join(memory, groups.version === 1 ? 'memory.usage_in_bytes' : 'memory.current')),
    text(join(memory, 'memory.stat')),
    // Traffic of the host is not attributed to a container.
    hostNetwork ? { receivedBytes: 0, sentBytes: 0 } : networkOf(cpu),
  ]);
  if (typeof cpuMicroseconds !== 'number' || used === undefined || stat === undefined) return undefined;
  const idle = field(stat, groups.version === 1 ? 'total_inactive_file' : 'inactive_file');
  return { cpuMicroseconds, memoryBytes: Math.max(0, used - idle), ...network };
}

async function networkOf(group: string): Promise<Pick<Reading, 'receivedBytes' | 'sentBytes'>> {
  for (const place of PLACES) {
    const pid = Number.parseInt((await text(join(group, place, 'cgroup.procs'))) ?? '', 10);
    if (pid > 0) return trafficOf((await text(`/proc/${pid}/net/dev`)) ?? '');
  }
  return { receivedBytes: 0, sentBytes: 0 };
}

/** Sums all interfaces except loopback; columns one and nine are received and sent bytes. */
export function trafficOf(netDev: string): Pick<Reading, 'receivedBytes' | 'sentBytes'> {
  let [receivedBytes, sentBytes] = [0, 0];
  for (const [, name, counters = ''] of netDev.matchAll(/^\s*([^\s:]+):\s*(.*)$/gm)) {
    if (name === 'lo') continue;
    const columns = counters.split(/\s+/);
    receivedBytes += Number(columns[0] ?? 0);
    sentBytes += Number(columns[8] ?? 0);
  }
  return { receivedBytes, sentBytes };
}

const field = (all: string, name: string): number => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(all)?.[1] ?? 0);

const number = async (path: string): Promise<number | undefined> => {
  const all = await text(path);
  return all === undefined ? undefined : Number(all);
};

/** Undefined if the file is gone. */
const text = (path: string): Promise<string | undefined> => readFile(path, 'latin1').catch(() => undefined);
