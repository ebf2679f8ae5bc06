import type { Cluster } from '../engine/cluster.ts';
import { EngineProblem } from '../engine/engine-problem.ts';

/**
 * Wraps a Swarm so that a member that does not lead cannot change it: work that it began earlier ends at its next change, and
 * the next leader finds the services as they are.
 */
export function fencedCluster(cluster: Cluster, leads: () => boolean): Cluster {
  const fence =
    <Args extends unknown[], Result>(operation: string, call: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      if (leads()) return await call(...args);
      throw new EngineProblem({ operation, kind: 'aborted', detail: 'this daemon does not lead its cluster' });
    };
  return {
    membership: () => cluster.membership(),
    nodes: () => cluster.nodes(),
    services: (filter) => cluster.services(filter),
    service: (id) => cluster.service(id),
    tasks: (filter) => cluster.tasks(filter),
    taskLogs: (id, options) => cluster.taskLogs(id, options),
    followTaskLogs: (id, since, signal) => cluster.followTaskLogs(id, since, signal),
    localAddresses: () => cluster.localAddresses(),
    contents: (kind, filter) => cluster.contents(kind, filter),
    changeNode: fence('change a node', (id, availability) => cluster.changeNode(id, availability)),
    createService: fence('create a service', (spec, auth) => cluster.createService(spec, auth)),
    updateService: fence('update a service', (id, spec, auth) => cluster.updateService(id, spec, auth)),
    scaleService: fence('scale a service', (id, replicas) => cluster.scaleService(id, replicas)),
    restartService: fence('restart a service', (id) => cluster.restartService(id)),
    rollBackService: fence('roll a service back', (id) => cluster.rollBackService(id)),
    removeService: fence('remove a service', (id) => cluster.removeService(id)),
    ensureNetwork: fence('create a network', (spec) => cluster.ensureNetwork(spec)),
    createContent: fence('store a content', (kind, spec) => cluster.createContent(kind, spec)),
    removeContent: fence('remove a content', (kind, id) => cluster.removeContent(kind, id)),
    close: () => cluster.close(),
  };
}
