import { createHash } from 'node:crypto';
import type { Manifest } from '@hortus/contract/template/manifest';
import type { JoinedNetwork, ServiceSpec, UpdateRule } from '../engine/cluster.ts';
import type { ContainerSpec } from '../engine/container-spec.ts';
import type { Desired, Unit } from '../plan/desired.ts';
import { label } from '../plan/labels.ts';
import { INGRESS_SERVICE } from './ingress-names.ts';
import { MAX_SERVICE_NAME_LENGTH, NotOnSwarm } from './limitations.ts';
import { pinTo } from './pins.ts';
import { placementOf, type Where } from './placement.ts';
import { ingressNetworkOf } from './routed.ts';
import { taskCheck } from './task-check.ts';

/** A component as it should run in the Swarm; image digest and secrets are added when it is created. */
export interface DesiredService {
  unit: Unit;
  spec: Omit<ServiceSpec, 'files'>;
  /** Node that its volumes bind it to. */
  node: string | undefined;
  /** An equal value means that no task has to be replaced. */
  config: string;
  replicas: number;
}

/** Label of the number of tasks that a service has unless it is stopped. */
export const REPLICAS = 'hortus.replicas';

/** Time after which a new task without a health check counts as running well. */
const UNCHECKED_MONITOR_MS = 5_000;
const MAX_MONITOR_MS = 15_000;

/** Whether the component keeps data in volumes of a node. */
export const isPinned = ({ spec }: Unit): boolean => spec.mounts.some(({ kind }) => kind === 'volume');

interface SwarmFacts {
  /** Node for components with volumes. */
  node: string | undefined;
  /** CPUs of the smallest node. */
  cpus: number;
  /** Default log driver of this node, taken for that of all nodes. */
  logDriver: string;
  /** Components that the ingress reaches. */
  routed: ReadonlySet<string>;
}

/** Describes every component as a service. */
export function desiredServices(
  { units, instanceUid }: Desired,
  { components }: Pick<Manifest, 'components'>,
  { node, ...facts }: SwarmFacts,
): DesiredService[] {
  // The tasks of a service are equal, so its replicas need no specification of their own.
  return units
    .filter(({ replica }) => replica === 1)
    .map((unit) => {
      const { replicas: wanted = 1, placement } = components.find(isOf(unit)) ?? {};
      const replicas = unit.kind === 'service' ? wanted : 1;
      return desiredService(
        unit,
        { replicas, ...placementOf(unit.component, placement), networks: networksOf(instanceUid, unit, facts) },
        { node: isPinned(unit) ? node : undefined, ...facts },
      );
    });
}

const networksOf = (uid: string, unit: Unit, { routed }: Pick<SwarmFacts, 'routed'>): JoinedNetwork[] =>
  routed.has(unit.component) && unit.kind === 'service' ? [ingressNetworkOf(uid, unit)] : [];

const isOf =
  ({ component }: Unit) =>
  ({ name }: { name: string }) =>
    name === component;

function desiredService(
  unit: Unit,
  where: Where & Pick<ServiceSpec, 'networks'> & { replicas: number },
  facts: SwarmFacts,
): DesiredService {
  const { replicas, constraints, spread, networks = [] } = where;
  const { node } = facts;
  const { name } = unit.spec;
  if (name.length > MAX_SERVICE_NAME_LENGTH)
    throw new NotOnSwarm(`The name of the service ${name} has more than ${MAX_SERVICE_NAME_LENGTH} characters`);
  if (name.startsWith(INGRESS_SERVICE)) throw new NotOnSwarm(`${name} is a name of the ingress; choose another one`);
  const config = `sha256:${createHash('sha256')
    // Without networks as before there were any, so that an update of the daemon replaces no task.
    .update(JSON.stringify([unit.config, node ?? null, constraints, spread ?? null, ...networks]))
    .digest('hex')}`;
  // Nothing but the engine probes tasks, so the label for the daemon's own probe is left out.
  const { [label.probe]: _, ...kept } = unit.spec.labels;
  const labels = { ...kept, [label.config]: config };
  const container: ContainerSpec = { ...fitting(unit.spec, facts), labels, volumeLabels: ownLabels(labels) };
  if (unit.check) container.healthcheck = taskCheck(unit.check);
  return {
    unit,
    node,
    config,
    replicas,
    spec: {
      container,
      labels: { ...labels, [REPLICAS]: String(replicas) },
      mode: unit.kind === 'service' ? { kind: 'replicated', replicas } : { kind: 'job' },
      constraints: [...(node === undefined ? [] : [pinTo(node)]), ...constraints],
      spread,
      networks,
      update: updateRule(unit),
    },
  };
}

/** Engines reject more CPUs than their machine has, and a default log limit must not override the operator's log driver. */
function fitting({ limits, logLimit, ...rest }: ContainerSpec, { cpus, logDriver }: SwarmFacts): ContainerSpec {
  const keepsDriver = logLimit?.byDefault && logDriver !== '' && logDriver !== 'json-file';
  return {
    ...rest,
    limits: limits.cpus === undefined ? limits : { ...limits, cpus: Math.min(limits.cpus, cpus) },
    ...(logLimit === undefined || keepsDriver ? {} : { logLimit }),
  };
}

const ownLabels = (labels: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    [label.managed, label.server, label.instance, label.definition].flatMap((key) =>
      labels[key] === undefined ? [] : [[key, labels[key]]],
    ),
  );

/**
 * The Swarm counts a task as running once it is healthy. After that it watches for one more check, so that a version that
 * answers once and dies is rolled back too.
 */
function updateRule({ beside, check }: Unit): UpdateRule {
  const monitorMs = check
    ? Math.min(Math.max(taskCheck(check).intervalMs + check.timeout_ms, 1_000), MAX_MONITOR_MS)
    : UNCHECKED_MONITOR_MS;
  return { order: beside ? 'start-first' : 'stop-first', monitorMs };
}
