import type { Cluster } from '../engine/cluster.ts';
import { label } from '../plan/labels.ts';

/** Failures after which a component does not keep running; a single one may be chance. */
const MAX_FAILURES = 3;

/**
 * Finds out whether tasks of an instance fail again and again. The Swarm replaces failed and unhealthy tasks at once, so that
 * looks at the running ones seldom meet one of them.
 */
export class FailedTasks {
  readonly #cluster: Pick<Cluster, 'tasks'>;
  /** Failed tasks at the first look, by what is watched: they are not to blame on it. */
  readonly #former = new Map<string, ReadonlySet<string>>();

  constructor(cluster: Pick<Cluster, 'tasks'>) {
    this.#cluster = cluster;
  }

  /** Describes what is wrong since the first look for this deployment; undefined if nothing is. */
  async sickness(uid: string, deploymentId: string): Promise<string | undefined> {
    const all = await this.#cluster.tasks({ labels: { [label.managed]: 'true', [label.instance]: uid } });
    const failed = all.filter(({ state, labels }) => state === 'failed' && labels[label.kind] !== 'job');
    const former = this.#former.get(deploymentId);
    this.#former.set(deploymentId, former ?? new Set(failed.map(({ id }) => id)));
    if (former === undefined) return undefined;
    const since = failed.filter(({ id }) => !former.has(id));
    const unhealthy = since.find(({ error }) => /unhealthy/i.test(error));
    if (unhealthy) return `${unhealthy.labels[label.component]} became unhealthy`;
    const parts = Map.groupBy(since, ({ labels }) => labels[label.component] ?? '');
    const failing = [...parts].find(([, tasks]) => tasks.length >= MAX_FAILURES);
    return failing && `${failing[0]} does not keep running`;
  }

  forget(deploymentId: string): void {
    this.#former.delete(deploymentId);
  }
}
