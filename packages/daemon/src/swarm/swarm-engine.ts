import type { Cluster, TaskFacts } from '../engine/cluster.ts';
import type { ContainerFacts } from '../engine/container-facts.ts';
import type { ContainerSpec } from '../engine/container-spec.ts';
import type { Engine, LabelFilter } from '../engine/engine.ts';
import { EngineProblem, isEngineProblem } from '../engine/engine-problem.ts';
import { label } from '../plan/labels.ts';
import { currentTasks, factsOfService, factsOfTask } from './current-tasks.ts';
import { recordedPin } from './pins.ts';
import { withTaskEvents } from './task-events.ts';

/** Label that the engine puts on containers of tasks. */
const TASK = 'com.docker.swarm.task.id';

/**
 * Wraps the engine of a manager so that instances look like those of a plain server: their containers are the current tasks of
 * their services, on every node. Former tasks, whose containers the engine keeps, are left out.
 */
export function swarmEngine(engine: Engine, cluster: Cluster): Engine {
  const reach = new Reach(engine, cluster);
  return {
    ...engine,
    containers: ({ labels }) => reach.containers(labels),
    inspect: (id) => reach.inspect(id),
    logs: (id, options) =>
      reach.elsewhere(
        id,
        () => engine.logs(id, options),
        (task) => cluster.taskLogs(task.id, options),
      ),
    events: (filter, on, signal) => withTaskEvents(engine, cluster, { filter, on, signal }),
    followLogs: (id, since, signal) => reach.followLogs(id, since, signal),
    create: async (spec) => {
      await reach.requireVolumesHere(spec);
      return await engine.create(spec);
    },
    // The Swarm would replace a task that is stopped, and a stopped one is not started again.
    start: (id) => reach.unlessTask(id, () => engine.start(id)),
    stop: (id, graceMs) => reach.unlessTask(id, () => engine.stop(id, graceMs)),
    kill: (id, signal) => reach.unlessTask(id, () => engine.kill(id, signal)),
    remove: (id, options) => reach.unlessTask(id, () => engine.remove(id, options)),
    rename: (id, name) => reach.unlessTask(id, () => engine.rename(id, name)),
    exec: (id, command, signal) => reach.elsewhere(id, () => engine.exec(id, command, signal), reach.refuse),
    attach: (id, command) => reach.elsewhere(id, () => engine.attach(id, command), reach.refuse),
    pathFacts: (id, path) => reach.elsewhere(id, () => engine.pathFacts(id, path), reach.refuse),
    readArchive: (id, path, signal) => reach.elsewhere(id, () => engine.readArchive(id, path, signal), reach.refuse),
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
}

class Reach {
  readonly #engine: Engine;
  readonly #cluster: Cluster;

  constructor(engine: Engine, cluster: Cluster) {
    this.#engine = engine;
    this.#cluster = cluster;
  }

  async containers(labels: LabelFilter): Promise<ContainerFacts[]> {
    const [local, found] = await Promise.all([this.#engine.containers({ labels }), this.#tasks(labels)]);
    const byId = new Map((await this.#addressed(local)).map((facts) => [facts.id, facts]));
    const ofTasks = found.map(({ facts }) => byId.get(facts.id) ?? facts);
    return [...local.filter((facts) => facts.labels[TASK] === undefined), ...ofTasks];
  }

  async inspect(id: string): Promise<ContainerFacts | undefined> {
    const local = await this.#engine.inspect(id);
    return local ? (await this.#addressed([local]))[0] : (await this.remote(id))?.facts;
  }

  /** Finds a task of another node by the id of its container. */
  async remote(id: string): Promise<Remote | undefined> {
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
      if (remote === undefined) throw error;
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
    const isHere = (await this.#engine.inspect(id)) !== undefined;
    const remote = isHere ? undefined : await this.remote(id);
    yield* remote
      ? this.#cluster.followTaskLogs(remote.task.id, since, signal)
      : this.#engine.followLogs(id, since, signal);
  }

  readonly refuse = async (_: TaskFacts, { name, node }: ContainerFacts): Promise<never> => {
    const detail = `it runs on node ${node?.name ?? 'unknown'}, which this daemon does not reach; run the action where its task is`;
    throw new EngineProblem({ operation: `enter ${name}`, kind: 'unsupported', detail });
  };

  /** A container here would get a new, empty volume instead of one of another node. */
  async requireVolumesHere({ name, mounts, labels }: ContainerSpec): Promise<void> {
    const uid = labels[label.instance];
    if (uid === undefined || !mounts.some(({ kind }) => kind === 'volume')) return;
    const [pin, here] = await Promise.all([recordedPin(this.#cluster, uid), this.#cluster.membership()]);
    if (pin === undefined || pin === here?.nodeId) return;
    const node = (await this.#cluster.nodes()).find(({ id }) => id === pin)?.name ?? pin;
    const detail = `its volumes are on node ${node}, which this daemon does not reach`;
    throw new EngineProblem({ operation: `create container ${name}`, kind: 'unsupported', detail });
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
      if (current.length === 0) return [{ task: undefined, facts: factsOfService(service) }];
      return current.map((task) => {
        const node = nodes.find(({ id }) => id === task.node && id !== here?.nodeId);
        return { task, facts: factsOfTask(service, task, node) };
      });
    });
  }
}
