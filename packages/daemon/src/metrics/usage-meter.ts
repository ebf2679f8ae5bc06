import type { ReportedUsage } from '@hortus/contract/resources/metrics';
import type { Engine, RunningContainer } from '../engine/engine.ts';
import type { Log } from '../log.ts';
import { label } from '../plan/labels.ts';
import { type ControlGroups, findControlGroups } from './control-groups.ts';
import { type Reading, readContainer } from './reading.ts';

export interface UsageMeterOptions {
  engine: Pick<Engine, 'running' | 'inspect'>;
  serverId(): string;
  log: Log;
  /** In milliseconds; tests pass their own. */
  clock?: () => number;
}

/** Limit of entries in one report. */
const MAX = 1_000;

interface Counted extends Reading {
  readonly at: number;
}

/** Measures all containers of this server in one pass; rates cover the time since the last pass. */
export class UsageMeter {
  readonly #options: UsageMeterOptions;
  #groups: ControlGroups | undefined;
  #before = new Map<string, Counted>();
  #reported = false;

  constructor(options: UsageMeterOptions) {
    this.#options = options;
  }

  /** Returns one entry per component, summed over its containers; a container is included from its second pass on. */
  async read(): Promise<ReportedUsage[]> {
    const { engine, serverId } = this.#options;
    const all = await engine.running({ labels: { [label.managed]: 'true', [label.server]: serverId() } });
    const ours = all.filter(({ labels }) => labels[label.component] !== undefined && !labels[label.execution]);
    const groups = await this.#find(ours);
    const now = new Map<string, Counted>();
    const usage = new Map<string, ReportedUsage>();
    for (const container of groups ? ours : []) {
      const reading = groups && (await readContainer(groups, container));
      if (reading === undefined) continue;
      const counted = { ...reading, at: this.#now() };
      now.set(container.id, counted);
      const before = this.#before.get(container.id);
      if (before) add(usage, container, before, counted);
    }
    this.#before = now;
    // None could be read: the engine's cgroups may have moved.
    if (now.size === 0) this.#groups = undefined;
    return [...usage.values()].slice(0, MAX);
  }

  async #find(containers: readonly RunningContainer[]): Promise<ControlGroups | undefined> {
    for (const { id } of containers) {
      if (this.#groups) break;
      const pid = (await this.#options.engine.inspect(id))?.pid ?? 0;
      // Skip a container that has just ended.
      if (pid === 0) continue;
      this.#groups = await findControlGroups(pid, id).catch(() => undefined);
      break;
    }
    if (this.#groups === undefined && containers.length > 0 && !this.#reported) {
      this.#reported = true;
      this.#options.log.warn('container usage is not reported: their cgroups are not readable from here');
    }
    return this.#groups;
  }

  #now(): number {
    return (this.#options.clock ?? (() => performance.now()))();
  }
}

function add(usage: Map<string, ReportedUsage>, { labels }: RunningContainer, before: Counted, now: Counted): void {
  const instance_uid = labels[label.instance] ?? '';
  const component = labels[label.component] ?? '';
  const key = `${instance_uid} ${component}`;
  const sum = usage.get(key);
  const seconds = Math.max(0.001, (now.at - before.at) / 1_000);
  const rate = (name: Exclude<keyof Reading, 'memoryBytes'>) => since(before[name], now[name]) / seconds;
  usage.set(key, {
    instance_uid,
    component,
    cpu_percent: Math.round(((sum?.cpu_percent ?? 0) + rate('cpuMicroseconds') / 10_000) * 100) / 100,
    memory_bytes: (sum?.memory_bytes ?? 0) + now.memoryBytes,
    received_bytes_per_second: (sum?.received_bytes_per_second ?? 0) + Math.round(rate('receivedBytes')),
    sent_bytes_per_second: (sum?.sent_bytes_per_second ?? 0) + Math.round(rate('sentBytes')),
    read_bytes_per_second: (sum?.read_bytes_per_second ?? 0) + Math.round(rate('readBytes')),
    written_bytes_per_second: (sum?.written_bytes_per_second ?? 0) + Math.round(rate('writtenBytes')),
  });
}

/** A smaller counter was reset by a restart. */
export const since = (before: number, now: number): number => (now >= before ? now - before : now);
