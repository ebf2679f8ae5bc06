import type { NodesReport, ReportedNode } from '@hortus/contract/resources/cluster-nodes';
import type { Cluster, NodeFacts, TaskFacts } from '../engine/cluster.ts';
import { guarded } from '../guard.ts';
import type { Service } from '../link/service.ts';
import type { Log } from '../log.ts';
import { label } from '../plan/labels.ts';

export interface NodeReportsOptions {
  /** Undefined on a plain server, which has no nodes. */
  cluster: Pick<Cluster, 'nodes' | 'tasks'> | undefined;
  service: Pick<Service, 'call'>;
  serverId(): string | undefined;
  /** Whether this daemon is the one that reports. */
  leads(): boolean;
  log: Log;
  everyMs?: number;
}

/** Limits of the service. */
const MAX_NODES = 500;
const MAX_TASKS = 1_000;
const MAX_LABELS = 64;

/** Reports the nodes of a Swarm and what runs there: one request every ten seconds, never two at once. */
export class NodeReports {
  readonly #options: NodeReportsOptions;
  #regular: NodeJS.Timeout | undefined;
  #reporting = false;

  constructor(options: NodeReportsOptions) {
    this.#options = options;
  }

  start(): void {
    if (!this.#options.cluster) return;
    const report = () => this.report();
    this.#regular = setInterval(guarded(this.#options.log, report), this.#options.everyMs ?? 10_000);
  }

  stop(): void {
    clearInterval(this.#regular);
  }

  async report(): Promise<void> {
    const { cluster, service, serverId, leads, log } = this.#options;
    const id = serverId();
    if (!cluster || id === undefined || this.#reporting || !leads()) return;
    this.#reporting = true;
    try {
      const labels = { [label.managed]: 'true', [label.server]: id };
      const [nodes, tasks] = await Promise.all([cluster.nodes(), cluster.tasks({ labels })]);
      await service.call('clusters.reportNodes', { params: { id }, body: nodesReport(nodes, tasks) });
    } catch (error) {
      log.debug({ err: error }, 'the nodes of the Swarm could not be reported');
    } finally {
      this.#reporting = false;
    }
  }
}

/** Counts the running tasks of each node by instance and component. */
export function nodesReport(nodes: readonly NodeFacts[], tasks: readonly TaskFacts[]): NodesReport {
  const running = tasks.filter(({ state }) => state === 'running');
  return { nodes: nodes.slice(0, MAX_NODES).map((node) => reported(node, running)) };
}

function reported(node: NodeFacts, running: readonly TaskFacts[]): ReportedNode {
  const counts = new Map<string, NonNullable<ReportedNode['tasks']>[number]>();
  for (const { labels } of running.filter((task) => task.node === node.id)) {
    const [instance_uid, component] = [labels[label.instance], labels[label.component]];
    if (instance_uid === undefined || component === undefined) continue;
    const key = `${instance_uid} ${component}`;
    counts.set(key, { instance_uid, component, running: (counts.get(key)?.running ?? 0) + 1 });
  }
  return {
    id: node.id,
    hostname: node.name.slice(0, 255),
    role: node.role,
    availability: node.availability,
    state: node.state,
    labels: Object.fromEntries(
      Object.entries(node.labels)
        .filter(([name, value]) => name.length <= 128 && value.length <= 256)
        .slice(0, MAX_LABELS),
    ),
    ...(node.engineVersion && { engine_version: node.engineVersion.slice(0, 64) }),
    capacity: { cpus: node.cpus, memory_bytes: node.memoryBytes },
    tasks: [...counts.values()].slice(0, MAX_TASKS),
  };
}
