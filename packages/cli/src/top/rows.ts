import type { ComponentUsage, ServerReading } from '@hortus/contract/resources/metrics';
import type { Server } from '@hortus/contract/resources/server-records';

/** A server and its newest reading. */
export interface Watched {
  readonly server: Server;
  readonly reading: ServerReading | undefined;
  /** Why its readings are not live, if they are not. */
  readonly delay: 'offline' | 'old_daemon' | 'unreachable' | undefined;
}

/** Readings of an offline server would look current. */
export const isUp = ({ server, delay }: Watched): boolean => server.status !== 'offline' && delay !== 'offline';

export const sorts = ['cpu', 'memory', 'network', 'disk', 'name'] as const;
export type Sort = (typeof sorts)[number];

type Usage = Omit<ComponentUsage, 'component'>;

export interface InstanceRow extends Usage {
  readonly name: string;
  readonly server: string;
}

/** Lists the instances of all connected servers, the largest first; by name for the sort of that name. */
export function instanceRows(watched: readonly Watched[], sort: Sort): InstanceRow[] {
  const rows = watched.filter(isUp).flatMap(({ server, reading }) =>
    (reading?.instances ?? []).map(({ instance_uid, components }) => ({
      name: instance_uid,
      server: server.name,
      ...totalOf(components),
    })),
  );
  return rows.sort((a, b) => weightOf(b, sort) - weightOf(a, sort) || (a.name < b.name ? -1 : 1));
}

/** Lists the servers in the same order. */
export function serverRows(watched: readonly Watched[], sort: Sort): readonly Watched[] {
  const weight = (watched: Watched): number => {
    const { reading } = watched;
    if (!isUp(watched) || !reading || sort === 'name') return 0;
    if (sort === 'cpu') return reading.cpu?.used_percent ?? 0;
    if (sort === 'memory') return shareOf(reading.memory);
    if (sort === 'disk') return shareOf(reading.disk);
    return (reading.network?.received_bytes_per_second ?? 0) + (reading.network?.sent_bytes_per_second ?? 0);
  };
  return watched.toSorted((a, b) => weight(b) - weight(a) || (a.server.name < b.server.name ? -1 : 1));
}

const fields = [
  'cpu_percent',
  'memory_bytes',
  'received_bytes_per_second',
  'sent_bytes_per_second',
  'read_bytes_per_second',
  'written_bytes_per_second',
] as const;

const totalOf = (components: readonly ComponentUsage[]): Usage =>
  Object.fromEntries(
    fields.map((field) => [field, components.reduce((sum, component) => sum + component[field], 0)]),
  ) as unknown as Usage;

function weightOf(usage: Usage, sort: Sort): number {
  if (sort === 'cpu') return usage.cpu_percent;
  if (sort === 'memory') return usage.memory_bytes;
  if (sort === 'network') return usage.received_bytes_per_second + usage.sent_bytes_per_second;
  if (sort === 'disk') return usage.read_bytes_per_second + usage.written_bytes_per_second;
  return 0;
}

/** Used part, from 0 to 1. */
export const shareOf = (usage: { used: number; free: number } | null): number =>
  usage ? usage.used / Math.max(1, usage.used + usage.free) : 0;
