import type { ServiceFacts, TaskFacts } from '../engine/cluster.ts';
import { label } from '../plan/labels.ts';
import { inOrder, type OrderedStep } from '../plan/plan-step.ts';
import { startConditions } from '../plan/start-conditions.ts';
import type { DesiredService } from './desired-services.ts';

/** Decision for a component. `await` continues with a service that an interrupted attempt of this deployment changed. */
export type ServiceDecision = { wanted: DesiredService } & (
  | { decision: 'create' }
  | { decision: 'keep' | 'scale' | 'update' | 'await'; service: ServiceFacts }
);

type Doing =
  | { step: 'pull'; image: string }
  | { step: 'network'; isRouted: boolean }
  | { step: 'route' }
  | { step: 'volumes'; name: string }
  | { step: 'files'; wanted: DesiredService }
  | { step: 'start'; decision: ServiceDecision }
  | { step: 'wait_healthy'; decision: ServiceDecision }
  | { step: 'before_start_job' | 'after_start_job'; decision: ServiceDecision }
  | { step: 'remove_old'; service: ServiceFacts };

export type SwarmStep = OrderedStep & Doing;

export interface SwarmActual {
  services: readonly ServiceFacts[];
  /** Tasks of the jobs. */
  jobTasks: readonly TaskFacts[];
}

export interface SwarmWish {
  deploymentId: string;
  services: readonly DesiredService[];
  /** Images by reference that must be used from now on, where a renewal pulled another one. */
  renewed: ReadonlyMap<string, string>;
  /** Volumes to create on their node. */
  volumes: readonly string[];
  /** Whether the routes of the instance are to be replaced. */
  reroute: boolean;
}

/** Plans the steps from the services of an instance to the desired ones. Undeclared services are removed last. */
export function swarmPlan(wish: SwarmWish, actual: SwarmActual): { steps: SwarmStep[] } {
  const decisions = wish.services.map((wanted) => decide(wanted, wish, actual));
  const changes = decisions.filter(({ decision }) => decision !== 'keep');
  const replaced = changes.filter(({ decision }) => decision === 'create' || decision === 'update');
  const preparations: SwarmStep[] = [...new Set(replaced.map(({ wanted }) => wanted.spec.container.image))].map(
    (image) => ({ key: `pull:${image}`, after: [], step: 'pull', image }),
  );
  const isRouted = replaced.some(({ wanted }) => (wanted.spec.networks ?? []).length > 0);
  if (replaced.length > 0) preparations.push({ key: 'network', after: [], step: 'network', isRouted });
  for (const name of replaced.length > 0 ? wish.volumes : [])
    preparations.push({ key: `volumes:${name}`, after: [], step: 'volumes', name });
  for (const { wanted } of replaced.filter(({ wanted }) => wanted.unit.files.length > 0))
    preparations.push({ key: `files:${wanted.unit.key}`, after: [], step: 'files', wanted });
  const prepared = preparations.map(({ key }) => key);
  const conditions = startConditions(wish.services.map(({ unit }) => unit));
  const changed = changes.flatMap((decision) =>
    changeSteps(decision, [...prepared, ...conditions(decision.wanted.unit)]),
  );
  const ready = [...prepared, ...changed.map(({ key }) => key)];
  const routing: SwarmStep[] = wish.reroute ? [{ key: 'route', after: ready, step: 'route' }] : [];
  const done = [...ready, ...routing.map(({ key }) => key)];
  const removals = undeclared(wish, actual).map((service): SwarmStep => {
    return { key: `remove_old:${service.id}`, after: done, step: 'remove_old', service };
  });
  return { steps: inOrder([...preparations, ...changed, ...routing, ...removals]) };
}

function changeSteps(decision: ServiceDecision, after: readonly string[]): SwarmStep[] {
  const { unit } = decision.wanted;
  if (unit.kind !== 'service') return [{ key: `${unit.kind}:${unit.key}`, after, step: unit.kind, decision }];
  const start = `start:${unit.key}`;
  const wait: SwarmStep = { key: `wait_healthy:${unit.key}`, after: [...after, start], step: 'wait_healthy', decision };
  return decision.decision === 'await' ? [wait] : [{ key: start, after, step: 'start', decision }, wait];
}

function decide(wanted: DesiredService, { deploymentId, renewed }: SwarmWish, actual: SwarmActual): ServiceDecision {
  const service = actual.services.find(({ name }) => name === wanted.unit.spec.name);
  if (service === undefined) return { wanted, decision: 'create' };
  const image = renewed.get(wanted.spec.container.image);
  const isSame = service.labels[label.config] === wanted.config && (image === undefined || image === service.image);
  if (wanted.unit.kind !== 'service') {
    const tasks = actual.jobTasks.filter((task) => task.service === service.id);
    if (isSame && service.kind === 'job' && tasks.some(({ state }) => state === 'complete'))
      return { wanted, decision: 'keep', service };
    const isOpen = isSame && service.labels[label.deployment] === deploymentId && tasks.every(isUnfinished);
    return { wanted, decision: isOpen ? 'await' : 'update', service };
  }
  // A service of another mode cannot be updated.
  if (!isSame || service.kind !== 'replicated') return { wanted, decision: 'update', service };
  if (service.replicas !== wanted.replicas) return { wanted, decision: 'scale', service };
  if (service.labels[label.deployment] === deploymentId) return { wanted, decision: 'await', service };
  return { wanted, decision: 'keep', service };
}

const isUnfinished = ({ state }: TaskFacts): boolean => !['failed', 'rejected', 'shutdown', 'orphaned'].includes(state);

function undeclared({ services: wanted }: SwarmWish, { services }: SwarmActual): ServiceFacts[] {
  return services.filter(({ name }) => !wanted.some(({ unit }) => unit.spec.name === name));
}

/** What a failed deployment left in the Swarm, and how the former state comes back. */
export type Undoing = { service: ServiceFacts } & ({ undo: 'remove' } | { undo: 'roll_back'; config: string });

/**
 * Plans the way back from the state of the Swarm alone, so that it is the same after a restart of the daemon: services that
 * this deployment created are removed, updated ones return to their former specification. Those that the Swarm has rolled back
 * itself no longer carry the label of this deployment.
 */
export function undoings(deploymentId: string, services: readonly ServiceFacts[]): Undoing[] {
  return services
    .filter(({ labels }) => labels[label.deployment] === deploymentId)
    .map((service): Undoing => {
      const { formerLabels, kind } = service;
      const isFormer = formerLabels !== undefined && formerLabels[label.deployment] !== deploymentId;
      if (kind !== 'replicated' || !isFormer) return { service, undo: 'remove' };
      return { service, undo: 'roll_back', config: formerLabels[label.config] ?? '' };
    });
}
