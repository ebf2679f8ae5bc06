import type {
  ComponentUsage,
  InstanceMetrics,
  MetricRange,
  ReportedUsage,
  UsagePoint,
} from '@hortus/contract/resources/metrics';
import type { Principal } from '../../identity/principal.ts';
import { iso } from '../../records/time.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import { newestUsage } from './newest-usage.ts';
import { beginOf, COARSE, steps, windowOf } from './steps.ts';
import { addUsage, componentsAt, listUsage, type UsageSum } from './store.ts';

export interface MetricsDeps {
  readonly reader: Queries;
  /** Throws if the caller has no such instance. */
  readonly requireInstance: (principal: Principal, id: string) => Promise<unknown>;
  /** Finds unreleased instances of a server by name. */
  readonly idsByUid: (tx: Tx, serverId: string, uids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  readonly clock?: () => number;
}

/** Limits per report and per instance, so that a daemon cannot create unbounded work or rows. */
const MAX_IN_REPORT = 1_000;
const MAX_COMPONENTS = 32;
/** Age of the newest reading of an instance that is still shown. */
const LATEST_WITHIN_MS = 3_600_000;

export class Metrics {
  readonly #deps: MetricsDeps;
  constructor(deps: MetricsDeps) {
    this.#deps = deps;
  }

  /** Called in the transaction of the report. Ignores unknown instances and entries beyond the limits. */
  async record(tx: Tx, serverId: string, reported: readonly ReportedUsage[]): Promise<void> {
    const taken = reported.slice(0, MAX_IN_REPORT);
    if (taken.length === 0) return;
    const ids = await this.#deps.idsByUid(tx, serverId, [...new Set(taken.map((item) => item.instance_uid))]);
    // If a component appears twice in a report, the last entry counts.
    const meant = new Map<string, { readonly instanceId: string; readonly usage: ReportedUsage }>();
    for (const usage of taken) {
      const instanceId = ids.get(usage.instance_uid);
      if (instanceId !== undefined) meant.set(`${instanceId} ${usage.component}`, { instanceId, usage });
    }
    const room = await this.#room(tx, [...new Set(ids.values())]);
    // In the order of keys, as all writers do, to avoid deadlocks.
    const kept = [...meant]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .filter(([, { instanceId, usage }]) => room(instanceId, usage.component));
    const rows = steps.flatMap((step) =>
      kept.map(([, { instanceId, usage }]) => ({
        instance_id: instanceId,
        component: usage.component,
        step,
        at: beginOf(step, tx.now),
        samples: 1,
        cpu_sum: usage.cpu_percent,
        cpu_max: usage.cpu_percent,
        memory_sum: usage.memory_bytes,
        memory_max: usage.memory_bytes,
        received_sum: usage.received_bytes_per_second,
        sent_sum: usage.sent_bytes_per_second,
        read_sum: usage.read_bytes_per_second ?? 0,
        written_sum: usage.written_bytes_per_second ?? 0,
      })),
    );
    await addUsage(tx, rows);
  }

  /** Whether a component may have a point: known ones may, new ones up to the limit. */
  async #room(tx: Tx, instanceIds: readonly string[]) {
    const known = new Map<string, Set<string>>(instanceIds.map((id) => [id, new Set()]));
    const rows =
      instanceIds.length === 0
        ? []
        : await componentsAt(tx, { instanceIds, step: COARSE, at: beginOf(COARSE, tx.now) });
    for (const { instance_id, component } of rows) known.get(instance_id)?.add(component);
    return (instanceId: string, component: string): boolean => {
      const names = known.get(instanceId);
      if (names === undefined || (names.size >= MAX_COMPONENTS && !names.has(component))) return false;
      names.add(component);
      return true;
    };
  }

  async ofInstance(
    principal: Principal,
    id: string,
    { range = '1h', component }: { range?: MetricRange; component?: string },
  ): Promise<InstanceMetrics> {
    await this.#deps.requireInstance(principal, id);
    const { reader } = this.#deps;
    const span = windowOf(range, (this.#deps.clock ?? Date.now)());
    const sums = await listUsage(reader, id, span);
    const newest = (await newestUsage(reader, [id], span.to - LATEST_WITHIN_MS)).get(id);
    const wanted = component === undefined ? sums : sums.filter((sum) => sum.component === component);
    return {
      instance_id: id,
      range,
      from: iso(span.from),
      to: iso(span.to),
      step_seconds: span.width / 1_000,
      components: [...new Set(sums.map((sum) => sum.component))].sort(),
      latest: newest
        ? { instance_id: id, at: iso(newest.at), live: false, components: only(component, newest.components) }
        : null,
      points: [...Map.groupBy(wanted, ({ begin }) => begin)].map(([begin, parts]) => pointOf(begin, parts)),
    };
  }
}

const only = (component: string | undefined, all: readonly ComponentUsage[]) =>
  all.filter((item) => component === undefined || item.component === component);

const total = (parts: readonly UsageSum[], of: (part: UsageSum) => number): number =>
  parts.reduce((sum, part) => sum + of(part), 0);
const average = (parts: readonly UsageSum[], of: (part: UsageSum) => number): number =>
  total(parts, (part) => of(part) / part.samples);
const percent = (value: number): number => Math.round(value * 100) / 100;

/** Sums the averages of all components. */
const pointOf = (begin: number, parts: readonly UsageSum[]): UsagePoint => ({
  at: iso(begin),
  cpu_percent: percent(average(parts, (part) => part.cpu_sum)),
  cpu_percent_max: percent(total(parts, (part) => part.cpu_max)),
  memory_bytes: Math.round(average(parts, (part) => part.memory_sum)),
  memory_bytes_max: Math.round(total(parts, (part) => part.memory_max)),
  received_bytes_per_second: Math.round(average(parts, (part) => part.received_sum)),
  sent_bytes_per_second: Math.round(average(parts, (part) => part.sent_sum)),
  read_bytes_per_second: Math.round(average(parts, (part) => part.read_sum)),
  written_bytes_per_second: Math.round(average(parts, (part) => part.written_sum)),
});
