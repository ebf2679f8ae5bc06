import type { ComponentUsage } from '@hortus/contract/resources/metrics';
import type { Queries } from '../../storage/storage.ts';
import { FINE } from './steps.ts';
import { pointsSince } from './store.ts';

export interface NewestUsage {
  /** Start of the minute, in milliseconds since 1970. */
  readonly at: number;
  readonly components: ComponentUsage[];
}

/** Returns the newest stored minute of each instance that has one since then. */
export async function newestUsage(
  queries: Queries,
  instanceIds: readonly string[],
  since: number,
): Promise<Map<string, NewestUsage>> {
  const points = await pointsSince(queries, instanceIds, FINE, since);
  const newest = new Map<string, NewestUsage>();
  for (const { instance_id, at, component, samples, ...sums } of points) {
    const known = newest.get(instance_id);
    const components = known?.at === at ? known.components : [];
    components.push({
      component,
      cpu_percent: Math.round((sums.cpu_sum / samples) * 100) / 100,
      memory_bytes: Math.round(sums.memory_sum / samples),
      received_bytes_per_second: Math.round(sums.received_sum / samples),
      sent_bytes_per_second: Math.round(sums.sent_sum / samples),
      read_bytes_per_second: Math.round(sums.read_sum / samples),
      written_bytes_per_second: Math.round(sums.written_sum / samples),
    });
    newest.set(instance_id, { at, components });
  }
  return newest;
}
