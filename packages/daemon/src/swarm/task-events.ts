import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../engine/cluster.ts';
import type { ContainerEvent, Engine, EventFilter } from '../engine/engine.ts';
import { label } from '../plan/labels.ts';

/** A Swarm has no events of tasks, so changes on other nodes are found by looking. */
const POLL_EVERY_MS = 2_000;

interface Following {
  filter: EventFilter;
  on(event: ContainerEvent): void;
  signal: AbortSignal;
}

/** Adds events for changed tasks to the events of containers of this node. Ends like the engine's own stream. */
export async function withTaskEvents(engine: Engine, cluster: Cluster, following: Following): Promise<void> {
  const { filter, on, signal } = following;
  const ended = new AbortController();
  const supervising = pollChanges(cluster, { ...following, signal: AbortSignal.any([signal, ended.signal]) });
  try {
    await engine.events(filter, on, signal);
  } finally {
    ended.abort();
    await supervising;
  }
}

async function pollChanges(cluster: Cluster, { filter, on, signal }: Following): Promise<void> {
  let known: Map<string, string> | undefined;
  while (!signal.aborted) {
    // Without a quorum no manager answers; the regular reports notice what changed meanwhile.
    const tasks = await cluster.tasks({ labels: filter.labels }).catch(() => undefined);
    const before = known;
    if (tasks !== undefined) {
      known = new Map(tasks.map(({ id, state, desired, error }) => [id, `${state} ${desired} ${error}`]));
      const changed = before && tasks.filter(({ id }) => before.get(id) !== known?.get(id));
      const instances = new Map((changed ?? []).map((task) => [task.labels[label.instance], task]));
      if (signal.aborted) return;
      for (const { id, at, labels } of instances.values()) on({ action: 'task', id, at, attributes: labels });
    }
    await sleep(POLL_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}
