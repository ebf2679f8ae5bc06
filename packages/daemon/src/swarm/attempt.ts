import type { Cluster, Membership, NodeFacts, ServiceFacts } from '../engine/cluster.ts';
import type { Engine } from '../engine/engine.ts';
import { EngineProblem } from '../engine/engine-problem.ts';
import type { ClusterRoutes, InstanceRule } from '../ingress/cluster-routes.ts';
import { type Desired, desiredState } from '../plan/desired.ts';
import { label, labelsOf } from '../plan/labels.ts';
import { type RouteRule, sameRoutes } from '../plan/routes.ts';
import { NameTaken } from '../rollout/failure.ts';
import type { Rollout } from '../rollout/rollout.ts';
import { type DesiredService, desiredServices, isPinned } from './desired-services.ts';
import { chooseNode, pinOf, recordedPin, requireNode } from './pins.ts';
import { fits } from './placement.ts';
import { requireRoutable, routedComponents } from './routed.ts';
import type { SwarmActual } from './swarm-plan.ts';

/** What a rollout found in the Swarm before it changed anything, and what it wants. */
export interface Attempt {
  rollout: Rollout;
  desired: Desired;
  services: DesiredService[];
  before: SwarmActual;
  nodes: NodeFacts[];
  /** Labels of everything that belongs to the instance. */
  own: Record<string, string>;
  /** Node of the volumes; undefined without any. */
  node: string | undefined;
  /** Node of this daemon. */
  here: string;
  /** Whether the ingress serves other routes of the instance than the desired ones. */
  reroute: boolean;
}

/** Reads the state of the Swarm and decides where components with volumes run. Changes nothing. */
export async function beginAttempt(
  rollout: Rollout,
  cluster: Cluster,
  engine: Engine,
  ingress: ClusterRoutes | undefined,
): Promise<Attempt> {
  const desired = desiredState(rollout);
  const { instanceUid: uid, definitionId } = desired;
  const { nodeId: here } = await requireManager(cluster);
  const [nodes, served, { logDriver }, managed] = await Promise.all([
    cluster.nodes(),
    ingress?.all() ?? [],
    engine.info(),
    cluster.services({ labels: { [label.managed]: 'true' } }),
  ]);
  const before = await readInstance(cluster, uid, definitionId);
  await requireNames(cluster, desired, before.services);
  if (ingress) requireRoutable({ manifest: rollout.manifest, desired, nodes, managed, served });
  const others = served.filter(({ instanceUid }) => instanceUid !== uid);
  if (desired.routes.length > 0)
    ingress?.requireRoom([...others, ...desired.routes.map((rule) => ({ ...rule, instanceUid: uid }))]);
  const routed = ingress ? routedComponents(desired, served) : new Set<string>();
  const pinned = new Set(desired.units.filter(isPinned).map(({ component }) => component));
  const placements = rollout.manifest.components.flatMap(({ name, placement }) =>
    pinned.has(name) ? (placement ?? []) : [],
  );
  const isFit = (node: NodeFacts) => placements.every((placement) => fits(placement, node));
  const node = desired.units.some(isPinned)
    ? await nodeOfVolumes({ cluster, engine, uid, nodes, managed, before: before.services, here, isFit })
    : undefined;
  const cpus = Math.min(...nodes.filter(({ state }) => state === 'ready').map((node) => node.cpus));
  return {
    rollout,
    desired,
    services: desiredServices(desired, rollout.manifest, { node, cpus, logDriver, routed }),
    before,
    nodes,
    own: labelsOf({ serverId: rollout.serverId, uid, definitionId }),
    node,
    here,
    reroute: ingress !== undefined && rollout.only === undefined && !(await isRouted(ingress, desired, served)),
  };
}

/** The record of the routes alone proves nothing: a former leader may have been killed before it told the nodes. */
const isRouted = async (
  ingress: ClusterRoutes,
  { instanceUid, routes }: Desired,
  served: readonly InstanceRule[],
): Promise<boolean> =>
  sameRules(instanceUid, served, routes) && (routes.length === 0 || (await ingress.isCurrent(served)));

export function sameRules(uid: string, served: readonly InstanceRule[], wanted: readonly RouteRule[]): boolean {
  const comparable = (rules: readonly RouteRule[]) => rules.map((rule) => ({ ...rule, containers: [] }));
  return sameRoutes(comparable(served.filter(({ instanceUid }) => instanceUid === uid)), comparable(wanted));
}

/** Reads the services of an instance by their labels, and the tasks of its jobs. */
export async function readInstance(cluster: Cluster, uid: string, definitionId: string): Promise<SwarmActual> {
  const labels = { [label.managed]: 'true', [label.instance]: uid, [label.definition]: definitionId };
  const services = await cluster.services({ labels });
  const jobs = services.filter(({ kind }) => kind === 'job');
  const jobTasks = await Promise.all(jobs.map(({ id }) => cluster.tasks({ service: id })));
  return { services, jobTasks: jobTasks.flat() };
}

export async function requireManager(cluster: Cluster): Promise<Membership> {
  const membership = await cluster.membership();
  const operation = 'use the Swarm';
  if (membership === undefined)
    throw new EngineProblem({ operation, kind: 'unsupported', detail: 'this engine is not part of a Swarm' });
  if (!membership.isManager)
    throw new EngineProblem({
      operation,
      kind: 'unsupported',
      detail: 'this node is a worker; run the daemon on a manager',
    });
  return membership;
}

async function requireNames(cluster: Cluster, { units }: Desired, own: readonly ServiceFacts[]): Promise<void> {
  const holders = await Promise.all(units.map(({ spec }) => cluster.service(spec.name)));
  const taken = holders.find(
    (holder, index) => holder?.name === units[index]?.spec.name && !own.some(({ id }) => id === holder?.id),
  );
  if (taken)
    throw new NameTaken(`Service ${taken.name} exists but is not of this definition; rename or remove it first`);
}

interface VolumePlacement {
  cluster: Cluster;
  engine: Engine;
  uid: string;
  nodes: readonly NodeFacts[];
  managed: readonly ServiceFacts[];
  before: readonly ServiceFacts[];
  here: string;
  /** Whether a node has the labels that the components with volumes require. */
  isFit(node: NodeFacts): boolean;
}

/** All volumes of an instance are on one node. A record outlives services, and volumes found here outlive both. */
async function nodeOfVolumes({
  cluster,
  engine,
  uid,
  nodes,
  managed,
  before,
  here,
  isFit,
}: VolumePlacement): Promise<string> {
  const known = before.map(pinOf).find((text) => text !== undefined) ?? (await recordedPin(cluster, uid));
  if (known !== undefined) return requireNode(nodes, known).id;
  const found = await engine.volumes({ labels: { [label.managed]: 'true', [label.instance]: uid } });
  return found.length > 0 ? requireNode(nodes, here).id : chooseNode(nodes.filter(isFit), managed, here).id;
}
