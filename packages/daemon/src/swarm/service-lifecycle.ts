import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../engine/cluster.ts';
import type { ContainerFacts } from '../engine/container-facts.ts';
import type { Engine } from '../engine/engine.ts';
import { label } from '../plan/labels.ts';
import { factsOfService } from './current-tasks.ts';
import { REPLICAS } from './desired-services.ts';
import { removeLeftoverTasks, SERVICE } from './leftover-tasks.ts';
import { POLL_EVERY_MS, TIMEOUT_MS, tasksEnded } from './tasks-ended.ts';

/** Prefix that no name or id of a container can have. */
const PREFIX = 'service:';

/** Names a service where the engine's calls expect a container. */
export const serviceHandle = (id: string): string => `${PREFIX}${id}`;
export const isServiceHandle = (handle: string): boolean => handle.startsWith(PREFIX);
/** Returns the id of the service that a handle names. */
export const serviceOf = (handle: string): string => handle.slice(PREFIX.length);

/** Starts, stops and removes services by their handle, with the meaning that the engine's calls have for a container. */
export class ServiceLifecycle {
  readonly #engine: Pick<Engine, 'containers' | 'remove'>;
  readonly #cluster: Cluster;

  constructor(engine: Pick<Engine, 'containers' | 'remove'>, cluster: Cluster) {
    this.#engine = engine;
    this.#cluster = cluster;
  }

  async inspect(handle: string): Promise<ContainerFacts | undefined> {
    const id = serviceOf(handle);
    const service = await this.#cluster.service(id);
    // Without labels, because a service has no output of its own to collect.
    return service && { ...factsOfService(service), labels: {}, state: service.replicas > 0 ? 'running' : 'exited' };
  }

  async start(handle: string): Promise<void> {
    const id = serviceOf(handle);
    const service = await this.#cluster.service(id);
    if (service?.kind === 'replicated' && service.replicas === 0)
      await this.#cluster.scaleService(id, Number(service.labels[REPLICAS] ?? 1));
  }

  async stop(handle: string, graceMs: number): Promise<void> {
    const id = serviceOf(handle);
    const service = await this.#cluster.service(id);
    if (service?.kind === 'replicated' && service.replicas > 0) await this.#cluster.scaleService(id, 0);
    await tasksEnded(this.#cluster, { service: id }, TIMEOUT_MS + graceMs);
  }

  /** Waits until this node has removed the containers too: they use volumes that may be removed next. */
  async remove(handle: string): Promise<void> {
    const id = serviceOf(handle);
    const service = await this.#cluster.service(id);
    if (service === undefined) return;
    await this.#cluster.removeService(id);
    const uid = service.labels[label.instance] ?? '';
    const end = performance.now() + TIMEOUT_MS;
    for (;;) {
      await removeLeftoverTasks(this.#engine, this.#cluster, uid);
      const left = await this.#engine.containers({ labels: { [label.instance]: uid, [SERVICE]: id } });
      if (left.length === 0) return;
      if (performance.now() > end)
        throw new Error(`Containers of ${service.name} were left ${TIMEOUT_MS / 1_000} s after its removal`);
      await sleep(POLL_EVERY_MS);
    }
  }
}
