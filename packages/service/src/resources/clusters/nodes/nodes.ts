import { builtIn } from '@hortus/contract/actions/built-in-actions';
import type { Execution } from '@hortus/contract/resources/actions';
import type { ClusterNode, NodesReport, ReportedNode } from '@hortus/contract/resources/cluster-nodes';
import type { LosableNode } from '@hortus/template/rollout/node-loss';
import { actorOf, type Principal } from '../../../identity/principal.ts';
import { append } from '../../../outbox/append.ts';
import { conflict, notFound } from '../../../problem.ts';
import { iso } from '../../../records/time.ts';
import { type Page, type PageRequest, slice } from '../../../storage/page.ts';
import type { Queries, Tx } from '../../../storage/storage.ts';
import { findServer, type ServerOrder, type ServerRow } from '../../servers/public.ts';
import { deleteNodes, findNode, type NodeRow, nodesOf, writeNode } from './store.ts';

export interface ClusterNodesDeps {
  readonly reader: Queries;
  /** Orders an action on a server. */
  readonly order: (tx: Tx, order: ServerOrder) => Promise<Execution>;
  /** Called when a node is lost, with the names of the instances that ran there. */
  readonly lost: (tx: Tx, node: Lost, uids: readonly string[]) => Promise<void>;
}

interface Lost {
  readonly server_id: string;
  readonly account_id: string;
  readonly node_id: string;
  readonly hostname: string;
}

/** Whether a node is down, cut off, or has left the cluster. */
export async function isNodeLost(queries: Queries, serverId: string, nodeId: string): Promise<boolean> {
  const node = await findNode(queries, serverId, nodeId);
  return !node || isLost(node);
}

/** Reads the nodes of a cluster for a plan. */
export const losableNodes = async (queries: Queries, serverId: string): Promise<LosableNode[]> =>
  (await nodesOf(queries, serverId)).map(({ hostname, labels, state, availability }) => ({
    name: hostname,
    labels: JSON.parse(labels),
    usable: state === 'ready' && availability === 'active',
  }));

/** Keeps the nodes that the leading daemon of a cluster reports, and orders changes of them. */
export class ClusterNodes {
  readonly #deps: ClusterNodesDeps;
  constructor(deps: ClusterNodesDeps) {
    this.#deps = deps;
  }

  async list({ accountId }: Principal, serverId: string, request: PageRequest): Promise<Page<ClusterNode>> {
    const { reader } = this.#deps;
    if (!(await findServer(reader, accountId, serverId))) throw notFound('server');
    return slice((await nodesOf(reader, serverId)).map(nodeRecord), request);
  }

  /** Replaces the known nodes. Writes only those that changed, because a report is frequent and mostly repeats the last. */
  async report(tx: Tx, principal: Principal, serverId: string, { nodes }: NodesReport): Promise<number> {
    if (principal.kind === 'server' && principal.serverId !== serverId) throw notFound('server');
    const server = await this.#cluster(tx, principal, serverId);
    const known = new Map((await nodesOf(tx, serverId)).map((row) => [row.id, row]));
    // The last of two entries for one node counts.
    const reported = new Map(nodes.map((node) => [node.id, node]));
    for (const node of reported.values()) {
      const before = known.get(node.id);
      const row = nodeRow(serverId, node, before, tx.now);
      if (!before || isNews(before, row, tx.now)) await writeNode(tx, row);
      await this.#notify(tx, principal, server, before, row);
    }
    const gone = [...known.keys()].filter((id) => !reported.has(id));
    await deleteNodes(tx, serverId, gone);
    return reported.size;
  }

  async change(
    tx: Tx,
    principal: Principal,
    { id, node }: { readonly id: string; readonly node: string },
    availability: 'active' | 'drain',
  ): Promise<Execution> {
    const server = await this.#cluster(tx, principal, id);
    if (!(await findNode(tx, id, node))) throw notFound('node');
    const params = { node_id: node, availability };
    return this.#deps.order(tx, { server, slug: builtIn.node, params, actor: actorOf(principal) });
  }

  async #notify(
    tx: Tx,
    principal: Principal,
    server: ServerRow,
    before: NodeRow | undefined,
    now: NodeRow,
  ): Promise<void> {
    const type = before && lossOf(before, now);
    if (type === undefined) return;
    // What ran there before it was lost.
    const tasks = JSON.parse(before?.tasks ?? '[]') as ClusterNode['tasks'];
    await append(tx, {
      type,
      accountId: server.account_id,
      resourceType: 'server',
      resourceId: server.id,
      actor: actorOf(principal),
      data: {
        server_id: server.id,
        name: server.name,
        node_id: now.id,
        hostname: now.hostname,
        state: now.state,
        tasks: tasks.slice(0, MAX_NAMED),
        tasks_left_out: Math.max(0, tasks.length - MAX_NAMED),
      },
    });
    if (type !== 'node.lost') return;
    const node = { server_id: server.id, account_id: server.account_id, node_id: now.id, hostname: now.hostname };
    await this.#deps.lost(tx, node, [...new Set(tasks.map(({ instance_uid }) => instance_uid))]);
  }

  async #cluster(tx: Tx, { accountId }: Principal, id: string): Promise<ServerRow> {
    const server = await findServer(tx, accountId, id);
    if (!server) throw notFound('server');
    if (server.kind !== 'cluster') throw conflict('id', 'not_a_cluster', 'is an ordinary server, which has no nodes.');
    return server;
  }
}

/** Components that an event names. A node may run a thousand, and one report may lose all nodes of a cluster. */
const MAX_NAMED = 20;

/** A node whose report only repeats the last is written this often, so that its age can be seen. */
const WRITE_EVERY_MS = 60_000;

function isNews(
  { reported_at: before, ...last }: NodeRow,
  { reported_at: now, ...next }: NodeRow,
  at: number,
): boolean {
  return at - before >= WRITE_EVERY_MS || JSON.stringify(sorted(last)) !== JSON.stringify(sorted(next));
}

const sorted = (row: object) => Object.entries(row).sort(([text], [other]) => (text < other ? -1 : 1));

const nodeRow = (server_id: string, node: ReportedNode, before: NodeRow | undefined, now: number): NodeRow => ({
  server_id,
  id: node.id,
  hostname: node.hostname,
  role: node.role,
  availability: node.availability,
  state: node.state,
  labels: JSON.stringify(node.labels),
  engine_version: node.engine_version ?? null,
  cpus: node.capacity?.cpus ?? null,
  memory_bytes: node.capacity?.memory_bytes ?? null,
  tasks: JSON.stringify(node.tasks ?? []),
  state_since: before?.state === node.state ? before.state_since : now,
  reported_at: now,
});

const nodeRecord = (row: NodeRow): ClusterNode => ({
  server_id: row.server_id,
  id: row.id,
  hostname: row.hostname,
  role: row.role,
  availability: row.availability,
  state: row.state,
  labels: JSON.parse(row.labels) as ClusterNode['labels'],
  engine_version: row.engine_version,
  capacity: row.cpus === null || row.memory_bytes === null ? null : { cpus: row.cpus, memory_bytes: row.memory_bytes },
  tasks: JSON.parse(row.tasks) as ClusterNode['tasks'],
  state_since: iso(row.state_since),
  reported_at: iso(row.reported_at),
});

/** `unknown` says nothing: a cluster reports it while it elects a leader. */
const isLost = ({ state }: Pick<NodeRow, 'state'>): boolean => state === 'down' || state === 'disconnected';

function lossOf(before: NodeRow, now: NodeRow): 'node.lost' | 'node.returned' | undefined {
  if (isLost(now)) return isLost(before) ? undefined : 'node.lost';
  return isLost(before) && now.state === 'ready' ? 'node.returned' : undefined;
}
