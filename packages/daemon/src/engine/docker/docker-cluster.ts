import type { Cluster, ContentFacts, ContentKind, ContentSpec, Membership, TaskFacts } from '../cluster.ts';
import type { LabelFilter } from '../engine.ts';
import { EngineProblem } from '../engine-problem.ts';
import { type TaskResponse, taskFacts } from './cluster-responses.ts';
import { DockerApi } from './docker-api.ts';
import type { DockerEngineOptions } from './docker-engine.ts';
import { readTaskLogs } from './docker-logs.ts';
import { ensureOverlay, gatewayAddresses } from './docker-networks.ts';
import { changeNode, listNodes } from './docker-nodes.ts';
import {
  createService,
  findService,
  listServices,
  removeService,
  restartService,
  rollBackService,
  scaleService,
  updateService,
} from './docker-services.ts';
import { followTaskLogs } from './follow-logs.ts';
import { labelFilters } from './label-filters.ts';
import { objectPath } from './object-path.ts';
import { standardTimeouts } from './timeouts.ts';

/** Driver for a Docker Swarm over the socket of one of its managers. Connects with the first call. */
export function openDockerCluster({ socketPath, timeouts }: DockerEngineOptions): Cluster {
  const api = new DockerApi(socketPath, { ...standardTimeouts, ...timeouts });
  return {
    membership: () => readMembership(api),
    nodes: () => listNodes(api),
    changeNode: (id, availability) => changeNode(api, id, availability),

    services: ({ labels }) => listServices(api, labels),
    service: (id) => findService(api, id),
    createService: (spec, auth) => createService(api, spec, auth),
    updateService: (id, spec, auth) => updateService(api, id, spec, auth),
    scaleService: (id, replicas) => scaleService(api, id, replicas),
    restartService: (id) => restartService(api, id),
    rollBackService: (id) => rollBackService(api, id),
    removeService: (id) => removeService(api, id),

    tasks: (filter) => listTasks(api, filter),
    taskLogs: (id, { tail }) => readTaskLogs(api, id, tail),

    followTaskLogs: (id, since, signal) => followTaskLogs(api, id, since, signal),

    localAddresses: () => gatewayAddresses(api),
    ensureNetwork: (spec) => ensureOverlay(api, spec),

    contents: (kind, { labels }) => listContents(api, kind, labels),
    createContent: (kind, spec) => createContent(api, kind, spec),
    removeContent: (kind, id) => removeContent(api, kind, id),

    close: () => api.close(),
  };
}

async function readMembership(api: DockerApi): Promise<Membership | undefined> {
  const { Swarm } = await api.json<{
    Swarm?: { NodeID?: string; LocalNodeState?: string; ControlAvailable?: boolean };
  }>({
    operation: 'read the settings of the engine',
    method: 'GET',
    path: '/info',
    timeout: api.timeouts.quick,
  });
  if (!Swarm?.NodeID || Swarm.LocalNodeState !== 'active') return undefined;
  return { nodeId: Swarm.NodeID, isManager: Swarm.ControlAvailable ?? false };
}

async function listTasks(api: DockerApi, filter: { labels: LabelFilter } | { service: string }): Promise<TaskFacts[]> {
  const filters = 'labels' in filter ? labelFilters(filter.labels) : JSON.stringify({ service: [filter.service] });
  const list = await api.json<TaskResponse[] | null>({
    operation: 'list tasks',
    method: 'GET',
    path: '/tasks',
    query: { filters },
    timeout: api.timeouts.quick,
  });
  return (list ?? []).map(taskFacts);
}

interface ContentResponse {
  ID: string;
  CreatedAt: string;
  Spec: { Name: string; Labels?: Record<string, string> | null; Data?: string };
}

async function listContents(api: DockerApi, kind: ContentKind, labels: LabelFilter): Promise<ContentFacts[]> {
  const list = await api.json<ContentResponse[] | null>({
    operation: `list ${kind}`,
    method: 'GET',
    path: `/${kind}`,
    query: { filters: labelFilters(labels) },
    timeout: api.timeouts.quick,
  });
  return (list ?? []).map(({ ID, CreatedAt, Spec }) => ({
    id: ID,
    name: Spec.Name,
    labels: Spec.Labels ?? {},
    data: Buffer.from(Spec.Data ?? '', 'base64'),
    createdAt: Date.parse(CreatedAt),
  }));
}

async function createContent(api: DockerApi, kind: ContentKind, { name, labels, data }: ContentSpec): Promise<string> {
  const { ID } = await api.json<{ ID: string }>({
    operation: `store ${name} in the Swarm`,
    method: 'POST',
    path: `/${kind}/create`,
    body: { Name: name, Labels: labels, Data: data.toString('base64') },
    timeout: api.timeouts.heavy,
  });
  return ID;
}

async function removeContent(api: DockerApi, kind: ContentKind, id: string): Promise<boolean> {
  const operation = `remove ${id} from the ${kind} of the Swarm`;
  const call = { operation, method: 'DELETE', path: objectPath(kind, id, operation) } as const;
  const { status, body } = await api.call({ ...call, timeout: api.timeouts.heavy }, [400, 404]);
  if (status < 400 || status === 404) return true;
  const detail = String(JSON.parse(body.toString('utf8')).message);
  if (/is in use by/.test(detail)) return false;
  throw new EngineProblem({ operation, kind: 'invalid', status, detail });
}
