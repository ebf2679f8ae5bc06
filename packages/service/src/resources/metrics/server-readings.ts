import { MetricsMessage } from '@hortus/contract/channel/streams';
import type { Capacity } from '@hortus/contract/resources/capacity';
import type { ServerReading } from '@hortus/contract/resources/metrics';
import { Compile } from 'typebox/compile';
import { Problem } from '../../problem.ts';
import { iso } from '../../records/time.ts';
import type { Queries } from '../../storage/storage.ts';
import { streamJson } from '../../streams/stream-json.ts';
import { newestUsage } from './newest-usage.ts';

export interface MetricsTarget {
  readonly accountId: string;
  readonly serverId: string;
}

export interface ReadingDeps {
  readonly reader: Queries;
  /** Last report of a server; undefined if the account has no such server. */
  readonly capacity: (target: MetricsTarget) => Promise<Capacity | undefined>;
  /** Unreleased instances of a server. */
  readonly instancesOn: (serverId: string) => Promise<readonly PresentInstance[]>;
  readonly clock?: () => number;
}

interface PresentInstance {
  readonly id: string;
  readonly instance_uid: string;
  readonly container_name: string;
  readonly name: string;
}

/** Age of the newest minute of an instance that still runs: a daemon reports twice a minute. */
const RECENT_MS = 150_000;

/** Builds the newest reading of a server from its reports; undefined if the account has no such server. */
export async function storedReading(deps: ReadingDeps, target: MetricsTarget): Promise<ServerReading | undefined> {
  const capacity = await deps.capacity(target);
  if (!capacity) return undefined;
  const { memory, cpu, disk, reported_at } = capacity;
  const present = await deps.instancesOn(target.serverId);
  const newest =
    reported_at === null
      ? new Map()
      : await newestUsage(
          deps.reader,
          present.map(({ id }) => id),
          Date.parse(reported_at) - RECENT_MS,
        );
  return {
    server_id: target.serverId,
    at: reported_at,
    live: false,
    memory,
    cpu,
    disk,
    network: null,
    instances: present.flatMap((instance) => entryOf(instance, newest.get(instance.id)?.components ?? [])),
  };
}

/** Builds a reading from a message of the daemon. */
export async function liveReading(
  deps: ReadingDeps,
  target: MetricsTarget,
  { server, usage }: MetricsMessage,
): Promise<ServerReading> {
  const byName = Map.groupBy(usage, ({ instance_uid }) => instance_uid);
  const present = await deps.instancesOn(target.serverId);
  return {
    server_id: target.serverId,
    at: iso((deps.clock ?? Date.now)()),
    live: true,
    ...server,
    instances: present.flatMap((instance) =>
      entryOf(
        instance,
        (byName.get(instance.container_name) ?? []).map(({ instance_uid: _, ...item }) => ({
          read_bytes_per_second: 0,
          written_bytes_per_second: 0,
          ...item,
        })),
      ),
    ),
  };
}

function entryOf(
  { id, instance_uid, name }: PresentInstance,
  components: ServerReading['instances'][number]['components'],
): ServerReading['instances'] {
  return components.length === 0 ? [] : [{ instance_id: id, instance_uid, name, components }];
}

const check = Compile(MetricsMessage);

/** Parses a message of a daemon; throws a Problem if it is malformed. */
export function readMessage(data: Buffer): MetricsMessage {
  try {
    const message: unknown = streamJson(data);
    if (check.Check(message)) return message;
  } catch {
    // Not JSON.
  }
  throw new Problem('SERVER_ERROR', 'The daemon sent malformed metrics. Update hortusd on the server.');
}
