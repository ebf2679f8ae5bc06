import type { Cluster, TaskFacts } from '../engine/cluster.ts';
import type { ContainerFacts } from '../engine/container-facts.ts';
import type { ContainerSpec } from '../engine/container-spec.ts';
import type { Engine, LabelFilter, NetworkRemoval } from '../engine/engine.ts';
import { EngineProblem, isEngineProblem } from '../engine/engine-problem.ts';
import { label } from '../plan/labels.ts';
import { currentTasks, factsOfService, factsOfTask } from './current-tasks.ts';
import { removeLeftoverTasks } from './leftover-tasks.ts';
import { elsewhere, forgetPin } from './pins.ts';
import { removeRelays } from './relay-removal.ts';
import { isServiceHandle, ServiceLifecycle, serviceHandle } from './service-lifecycle.ts';
import { withTaskEvents } from './task-events.ts';

/** Label that the engine puts on containers of tasks. */
const TASK = 'com.docker.swarm.task.id';
const CONTAINER_ID = /^[0-9a-f]{64}$/;

/** Reaches the engines of other nodes, by the id of the node. */
export interface OtherNodes {
  engineOf(node: string): Promise<Engine>;
}

/**
 * Wraps the engine of a node so that instances look like those of a plain server: their containers are the current tasks of
 * their services, on every node. Former tasks, whose containers the engine keeps, are left out.
 */
export function swarmEngine(engine: Engine, cluster: Cluster, others?: OtherNodes): Engine {
  const reach = new Reach(engine, cluster, others);
  const services = new ServiceLifecycle(engine, cluster);
  return {
    ...engine,
    containers: ({ labels }) => reach.containers(labels),
    inspect: (id) => (isServiceHandle(id) ? services.inspect(id) : reach.inspect(id)),
    logs: (id, options) =>
      reach.elsewhere(
        id,
        () => engine.logs(id, options),
        (task) => cluster.taskLogs(task.id, options),
      ),
    events: (filter, on, signal) => withTaskEvents(engine, cluster, { filter, on, signal }),
    followLogs: (id, since, signal) => reach.followLogs(id, since, signal),
    ensureNetwork: (spec) => cluster.ensureNetwork(spec),
    create: async (spec) => {
      await reach.requireVolumesHere(spec);
      return await engine.create(spec);
    },
    removeNetwork: (name) => reach.removeNetwork(name),
    removeVolume: (name) => reach.removeVolume(name),
    // The Swarm would replace a task that is stopped, so services are stopped as a whole.
    start: (id) => (isServiceHandle(id) ? services.start(id) : reach.unlessTask(id, () => engine.start(id))),
    stop: (id, graceMs) =>
      isServiceHandle(id) ? services.stop(id, graceMs) : reach.unlessTask(id, () => engine.stop(id, graceMs)),
    kill: (id, signal) => reach.unlessTask(id, () => engine.kill(id, signal)),
    remove: (id, options) =>
      isServiceHandle(id) ? services.remove(id) : reach.unlessTask(id, () => engine.remove(id, options)),
    rename: (id, name) => reach.unlessTask(id, () => engine.rename(id, name)),
    exec: (id, command, signal) => reach.onItsNode(id, (engine) => engine.exec(id, command, signal)),
    attach: (id, command) => reach.onItsNode(id, (engine) => engine.attach(id, command)),
    pathFacts: (id, path) => reach.onItsNode(id, (engine) => engine.pathFacts(id, path)),
    readArchive: (id, path, signal) => reach.onItsNode(id, (engine) => engine.readArchive(id, path, signal)),
  };
}

interface Remote {
  task: TaskFacts;
  facts: ContainerFacts;
}

interface Current {
  /** Undefined for a service without tasks. */
  task: TaskFacts | undefined;
  facts: ContainerFacts;
  service: string;
  /** Undefined until the task is assigned. */
  nodeName?: string | undefined;
}

class Reach {
  readonly #engine: Engine;
  readonly #cluster: Cluster;
  readonly #others: OtherNodes | undefined;

  constructor(engine: Engine, cluster: Cluster, others: OtherNodes | undefined) {
    this.#engine = engine;
    this.#cluster = cluster;
    this.#others = others;
  }

  async containers(labels: LabelFilter): Promise<ContainerFacts[]> {
    const [local, found] = await Promise.all([this.#engine.containers({ labels }), this.#tasks(labels)]);
    const byId = new Map((await this.#addressed(local)).map((facts) => [facts.id, facts]));
    const ofTasks = found.map(({ facts, service, nodeName }) => ({
      ...(byId.get(facts.id) ?? facts),
      service,
      ...(nodeName !== undefined && { nodeName }),
    }));
    return [...local.filter((facts) => facts.labels[TASK] === undefined), ...ofTasks];
  }

  async inspect(id: string): Promise<ContainerFacts | undefined> {
    const local = await this.#engine.inspect(id);
    return local ? (await this.#addressed([local]))[0] : (await this.remote(id))?.facts;
  }

  /** Finds a task of another node by the id of its container. */
  async remote(id: string): Promise<Remote | undefined> {
    if (!CONTAINER_ID.test(id)) return undefined;
    const found = (await this.#tasks({ [label.managed]: 'true' })).find(({ facts }) => facts.id === id);
    return found?.task === undefined ? undefined : { task: found.task, facts: found.facts };
  }

  /** Calls the engine of this node, or `there` for a container of another node. */
  async elsewhere<Result>(
    id: string,
    here: () => Promise<Result>,
    there: (task: TaskFacts, facts: ContainerFacts) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await here();
    } catch (error) {
      if (!isEngineProblem(error, 'not_found')) throw error;
      const remote = await this.remote(id);
      // Of a task here, something else was not found, such as a program.
      if (remote?.facts.node === undefined) throw error;
      return await there(remote.task, remote.facts);
    }
  }

  async unlessTask(id: string, change: () => Promise<void>): Promise<void> {
    const facts = (await this.#engine.inspect(id)) ?? (await this.remote(id))?.facts;
    if (facts === undefined || (facts.labels[TASK] === undefined && facts.node === undefined)) return await change();
    const detail = 'it is a task of the Swarm, which would replace it';
    throw new EngineProblem({ operation: `change container ${facts.name}`, kind: 'unsupported', detail });
  }

  async *followLogs(id: string, since: string | undefined, signal: AbortSignal): ReturnType<Cluster['followTaskLogs']> {
    // A service without tasks, or a task without a container.
    if (!CONTAINER_ID.test(id)) return;
    const isHere = (await this.#engine.inspect(id)) !== undefined;
    const remote = isHere ? undefined : await this.remote(id);
    yield* remote
      ? this.#cluster.followTaskLogs(remote.task.id, since, signal)
      : this.#engine.followLogs(id, since, signal);
  }

  /** Calls the engine of the node where a container runs. */
  async onItsNode<Result>(id: string, call: (engine: Engine) => Promise<Result>): Promise<Result> {
    return await this.elsewhere(
      id,
      () => call(this.#engine),
      async (task, { name, node }) => {
        if (this.#others) return await call(await this.#others.engineOf(task.node));
        const detail = `it runs on node ${node?.name ?? 'unknown'}, which this daemon does not reach`;
        throw new EngineProblem({ operation: `enter ${name}`, kind: 'unsupported', detail });
      },
    );
  }

  /** A container here would get a new, empty volume instead of one of another node. */
  async requireVolumesHere({ name, mounts, labels }: ContainerSpec): Promise<void> {
    const uid = labels[label.instance];
    if (uid === undefined || !mounts.some(({ kind }) => kind === 'volume')) return;
    const node = await elsewhere(this.#cluster, uid);
    if (node === undefined) return;
    const detail = `its volumes are on node ${node.name}`;
    throw new EngineProblem({ operation: `create container ${name}`, kind: 'unsupported', detail });
  }

  /** Removes the relays on it first, such as those that a lost leader left to a trial. */
  async removeNetwork(name: string): Promise<NetworkRemoval> {
    const networks = await this.#engine.networks({ labels: { [label.instance]: true } });
    const uid = networks.find((network) => network.name === name)?.labels[label.instance];
    if (uid !== undefined) await removeRelays(this.#cluster, { [label.instance]: uid });
    return await this.#engine.removeNetwork(name);
  }

  /** Forgets the node of an instance with its last volume, such as that of a trial. */
  async removeVolume(name: string): Promise<void> {
    const uid = (await this.#engine.volume(name))?.labels[label.instance];
    if (uid !== undefined) await removeLeftoverTasks(this.#engine, this.#cluster, uid);
    await this.#engine.removeVolume(name);
    if (uid === undefined) return;
    const left = await this.#engine.volumes({ labels: { [label.instance]: uid } });
    if (left.length === 0) await forgetPin(this.#cluster, uid);
  }

  /** Only containers reach addresses of an overlay network; this node reaches its tasks over a bridge instead. */
  async #addressed(all: readonly ContainerFacts[]): Promise<ContainerFacts[]> {
    const isTask = ({ labels }: ContainerFacts) => labels[TASK] !== undefined;
    if (!all.some(isTask)) return [...all];
    const addresses = await this.#cluster.localAddresses();
    return all.map((facts) => {
      if (!isTask(facts)) return facts;
      const overlays = facts.networks.map((network) => ({ ...network, address: '' }));
      return {
        ...facts,
        networks: [{ name: 'node', address: addresses.get(facts.id) ?? '', aliases: [] }, ...overlays],
      };
    });
  }

  /** Current tasks of the services with these labels; a service without any is described by itself. */
  async #tasks(labels: LabelFilter): Promise<Current[]> {
    const [services, tasks, nodes, here] = await Promise.all([
      this.#cluster.services({ labels }),
      this.#cluster.tasks({ labels }),
      this.#cluster.nodes(),
      this.#cluster.membership(),
    ]);
    return services.flatMap((service): Current[] => {
      const current = currentTasks(service, tasks);
      if (current.length === 0)
        return [{ task: undefined, facts: factsOfService(service), service: serviceHandle(service.id) }];
      return current.map((task) => {
        const node = nodes.find(({ id }) => id === task.node);
        const facts = factsOfTask(service, task, node?.id === here?.nodeId ? undefined : node);
        return { task, facts, service: serviceHandle(service.id), nodeName: node?.name };
      });
    });
  }
}
