import type { Cluster, ServiceFacts } from '../engine/cluster.ts';
import type { Engine } from '../engine/engine.ts';
import type { ClusterRoutes } from '../ingress/cluster-routes.ts';
import type { RolloutResult } from '../journal/rollout-result.ts';
import { label } from '../plan/labels.ts';
import { routeRule } from '../plan/routes.ts';
import { type Failure, messageOf } from '../rollout/failure.ts';
import { type Attempt, readInstance, sameRules } from './attempt.ts';
import { converge } from './convergence.ts';
import { irreversibleJob } from './irreversible-job.ts';
import { removeUnusedFiles } from './swarm-files.ts';
import { type SwarmActual, type Undoing, undoings } from './swarm-plan.ts';

/** Time limit of the way back; the deadline of the rollout must not abort it. */
const UNDO_MS = 10 * 60_000;

export interface UndoDeps {
  cluster: Cluster;
  engine: Pick<Engine, 'removeNetwork'>;
  ingress: ClusterRoutes | undefined;
  say(level: 'info' | 'warn' | 'error', message: string): void;
  progress(): void;
}

/** Restores the services before a failed deployment, and describes the failure. Never throws. */
export async function undo(attempt: Attempt, deps: UndoDeps, failure: Failure): Promise<RolloutResult> {
  const { cluster, say } = deps;
  const { instanceUid, definitionId, network } = attempt.desired;
  const failed = { status: 'failed' as const, ...failure, components: [] };
  try {
    const actual = await readInstance(cluster, instanceUid, definitionId);
    const job = irreversibleJob(attempt, actual);
    if (job !== undefined) {
      const why = `${job} may have changed data in a way that the previous version cannot read; nothing was rolled back`;
      say('warn', why);
      return { ...failed, restored: false, reason: 'irreversible', error: `${failure.error}\n${why}` };
    }
    const signal = AbortSignal.timeout(UNDO_MS);
    const back = undoings(attempt.rollout.deploymentId, actual.services);
    await Promise.all([
      ...back.map((undoing) => undoOne(undoing, attempt, deps, signal)),
      ...rolledBackBySwarm(attempt, actual).map((service) => runsAgain(service, attempt, deps, signal)),
    ]);
    await restoreScale(attempt, deps);
    const left = await readInstance(cluster, instanceUid, definitionId);
    await restoreRoutes(attempt, left, deps, signal);
    await removeUnusedFiles(cluster, attempt.own, left.services);
    if (network !== undefined && left.services.length === 0) await dropNetwork(network.name, deps);
    return { ...failed, restored: true };
  } catch (error) {
    const why = `The rollback failed too: ${messageOf(error)}`;
    say('error', why);
    return { ...failed, restored: false, error: `${failure.error}\n${why}` };
  }
}

async function undoOne(undoing: Undoing, attempt: Attempt, deps: UndoDeps, signal: AbortSignal): Promise<void> {
  const { cluster, say } = deps;
  const { service } = undoing;
  if (undoing.undo === 'remove') {
    await cluster.removeService(service.id);
    say('info', `Removed the service ${service.name}`);
    return;
  }
  await cluster.rollBackService(service.id);
  const replicas = service.formerReplicas ?? service.replicas;
  const former = { ...service, replicas, labels: { ...service.labels, [label.config]: undoing.config } };
  await runsAgain(former, attempt, deps, signal);
}

/** The Swarm ends a rollback when it has replaced the tasks, possibly by ones that do not run yet. */
const rolledBackBySwarm = ({ services }: Attempt, actual: SwarmActual): ServiceFacts[] =>
  actual.services.filter(({ name, labels, update, replicas }) => {
    const wanted = services.find(({ unit }) => unit.spec.name === name);
    const isFormer = wanted !== undefined && wanted.config !== labels[label.config];
    return isFormer && replicas > 0 && update?.state.startsWith('rollback_');
  });

/** Waits until the tasks of a service have the specification that it returned to. */
async function runsAgain(
  service: ServiceFacts,
  { nodes }: Attempt,
  { cluster, say, progress }: UndoDeps,
  signal: AbortSignal,
): Promise<void> {
  const component = service.labels[label.component] ?? service.name;
  await converge({
    cluster,
    service: service.id,
    component,
    config: service.labels[label.config] ?? '',
    replicas: service.replicas,
    isUpdate: false,
    hasHistory: true,
    hasCheck: true,
    nodeName: (id) => nodes.find((node) => node.id === id)?.name ?? id,
    say,
    progress,
    signal,
  });
  say('warn', `The previous version of ${component} is running again`);
}

async function restoreScale({ before }: Attempt, { cluster }: UndoDeps): Promise<void> {
  for (const { id, replicas, kind } of before.services.filter((service) => service.kind === 'replicated')) {
    const now = await cluster.service(id);
    if (kind === 'replicated' && now !== undefined && now.replicas !== replicas)
      await cluster.scaleService(id, replicas);
  }
}

/**
 * Returns to the routes of the former manifest, to whose components the services have returned. Those of this deployment may also
 * come from a former leader that was killed. If the former manifest is unknown, services that run keep the routes that they have.
 */
async function restoreRoutes(
  { rollout, desired, own, reroute }: Attempt,
  left: SwarmActual,
  deps: UndoDeps,
  signal: AbortSignal,
): Promise<void> {
  const { ingress, say, progress } = deps;
  if (ingress === undefined || rollout.only !== undefined) return;
  if (!reroute && rollout.former === undefined && left.services.length > 0) return;
  const former = (rollout.former?.routes ?? []).map(routeRule);
  if (!reroute && sameRules(desired.instanceUid, await ingress.all(), former)) return;
  await ingress.lead(desired.instanceUid, former, { own, say, progress, signal });
}

/** After a failed first deployment only volumes remain. The next deployment uses a network that could not be removed. */
async function dropNetwork(name: string, { engine, say }: UndoDeps): Promise<void> {
  try {
    await engine.removeNetwork(name);
  } catch (error) {
    say('warn', `The network ${name} is left: ${messageOf(error)}`);
  }
}
