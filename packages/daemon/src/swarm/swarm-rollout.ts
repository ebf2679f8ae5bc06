import type { StepId } from '@hortus/contract/actions/steps';
import { ingressLossLines } from '@hortus/template/rollout/node-loss';
import type { Cluster } from '../engine/cluster.ts';
import type { RolloutResult } from '../journal/rollout-result.ts';
import { applyPlan, StepFailed } from '../rollout/apply.ts';
import { failureOf } from '../rollout/failure.ts';
import { renewImages } from '../rollout/renewal.ts';
import type { Rollout, RolloutDeps } from '../rollout/rollout.ts';
import { isSuspended } from '../rollout/rollout-control.ts';
import { inStepSpan } from '../rollout/step-span.ts';
import { inTime } from '../rollout/step-time.ts';
import { type Attempt, beginAttempt, readInstance } from './attempt.ts';
import type { ViewOf } from './instance-views.ts';
import { irreversibleJob } from './irreversible-job.ts';
import { lossesOf, NotOnSwarm, requireMadeImages, requireSwarm } from './limitations.ts';
import { losable, serviceLossLines } from './node-loss.ts';
import { pinnedImage } from './pinned-image.ts';
import { recordPin } from './pins.ts';
import { routingLosses } from './routed.ts';
import { removeUnusedFiles } from './swarm-files.ts';
import { describeServices } from './swarm-outcome.ts';
import { type SwarmStep, swarmPlan } from './swarm-plan.ts';
import { SwarmSteps } from './swarm-steps.ts';
import { undo } from './undo.ts';

export type SwarmRolloutDeps = Omit<RolloutDeps, 'ingress'> & {
  cluster: Cluster;
  ingress: Partial<Pick<RolloutDeps['ingress'], 'cluster'>>;
  /** Reaches the node of the volumes; without it only volumes of this node are created and checked. */
  viewOf?: ViewOf | undefined;
};

/** Applies the manifest to an instance in a Swarm, or restores its previous state. Never throws. */
export async function rollOutOnSwarm(rollout: Rollout, deps: SwarmRolloutDeps): Promise<RolloutResult> {
  const { cluster, engine, events, signal } = deps;
  const say = sayTo(deps);
  let attempt: Attempt | undefined;
  try {
    requireSwarm(rollout.manifest);
    const begun = await beginAttempt(rollout, cluster, engine, deps.ingress.cluster);
    requireMadeImages(rollout.manifest, begun.nodes);
    const renewed = await renewedImages(rollout, deps);
    signal.throwIfAborted();
    attempt = begun;
    const { desired, nodes } = begun;
    for (const loss of [...lossesOf(rollout.manifest), ...routingLosses(desired, nodes)]) say('warn', loss);
    if (begun.node !== undefined) await recordPin(cluster, begun.own, begun.node);
    const { deploymentId } = rollout;
    const { services, reroute } = begun;
    const plan = swarmPlan(
      { deploymentId, services, renewed, volumes: checkedVolumes(begun, deps), reroute },
      begun.before,
    );
    if (plan.steps.length === 0) say('info', 'The instance already matches the manifest; nothing to do');
    else for (const line of lossLines(begun)) say('info', line);
    const gapMs = await apply(plan, begun, deps);
    await tidy(begun, deps);
    return await describeServices(begun, cluster, engine, gapMs);
  } catch (error) {
    const failure =
      error instanceof NotOnSwarm ? { reason: 'unsupported', error: error.message } : failureOf(error, signal);
    if (failure.reason === 'internal') deps.unexpected?.(error);
    say('error', failure.error, error instanceof StepFailed ? error.step.step : undefined);
    // The Swarm continues its updates, and the next leader this deployment.
    if (attempt === undefined || isSuspended(signal)) return { status: 'failed', ...failure, components: [] };
    const progress = () => events.progress();
    return await undo(attempt, { cluster, engine, ingress: deps.ingress.cluster, say, progress }, failure);
  }
}

const sayTo =
  ({ events }: SwarmRolloutDeps) =>
  (level: 'info' | 'warn' | 'error', message: string, step?: StepId): void =>
    events.log({ at: Date.now(), level, message, ...(step === undefined ? {} : { step }) });

/** Pulls all images again if the deployment asks for it, and returns the names that services must have then. */
async function renewedImages(
  { manifest, logins = [], renew }: Rollout,
  deps: SwarmRolloutDeps,
): Promise<Map<string, string>> {
  if (!renew) return new Map();
  const { engine, signal, events } = deps;
  const say = sayTo(deps);
  const progress = () => events.progress();
  await renewImages(manifest, { engine, logins, signal, say: (level, text) => say(level, text, 'pull'), progress });
  const images = [...new Set(manifest.components.map(({ image }) => image))];
  return new Map(await Promise.all(images.map(async (image) => [image, await pinnedImage(engine, image)] as const)));
}

const lossLines = ({ rollout, services, nodes, desired }: Attempt): string[] => [
  ...serviceLossLines(services, nodes, rollout.manifest.components),
  ...(desired.routes.length > 0 ? ingressLossLines(nodes.map(losable)) : []),
];

/**
 * Volumes are created before the tasks that use them, on their node, because only then their owner is checked: a node
 * gives a task any volume with the name, also one that another definition left there.
 */
const checkedVolumes = ({ desired, node, here }: Attempt, { viewOf }: SwarmRolloutDeps): string[] =>
  node === here || (node !== undefined && viewOf) ? desired.volumes.map(({ name }) => name) : [];

/** Returns the longest downtime of a replaced component; undefined if none was replaced. */
async function apply(
  plan: { steps: readonly SwarmStep[] },
  attempt: Attempt,
  deps: SwarmRolloutDeps,
): Promise<number | undefined> {
  const { rollout, desired, own, nodes } = attempt;
  const { cluster, engine, events, journal, boundary, signal } = deps;
  const say = sayTo(deps);
  const pulled = (image: string) => journal?.pulled?.(image);
  const logins = rollout.logins ?? [];
  const ingress = deps.ingress.cluster;
  const mayReturn = async () => {
    if (!desired.units.some(({ irreversible }) => irreversible)) return true;
    const actual = await readInstance(cluster, desired.instanceUid, desired.definitionId);
    return irreversibleJob(attempt, actual) === undefined;
  };
  const engineOfVolumes = async () => (await deps.viewOf?.(desired.instanceUid))?.engine ?? engine;
  const steps = new SwarmSteps({
    ...{ cluster, engine, engineOfVolumes, desired, own, nodes, ingress, logins, mayReturn, say, pulled },
  });
  const run = async (step: SwarmStep, stepSignal: AbortSignal) => {
    const begun = performance.now();
    journal?.step(step.key);
    boundary?.(`before ${step.step}`);
    const done = await inTime(step, rollout.manifest.deadline_ms, stepSignal, (limited, progress) =>
      steps.run(step, limited, () => {
        progress();
        events.progress();
      }),
    );
    say('info', `${done} (${Math.round(performance.now() - begun)} ms)`, step.step);
    events.progress();
    boundary?.(`after ${step.step}`);
  };
  const traced = (step: SwarmStep, stepSignal: AbortSignal) =>
    inStepSpan(step.step, componentOf(step), () => run(step, stepSignal));
  await applyPlan(plan, traced, signal);
  return steps.gapMs;
}

function componentOf(step: SwarmStep): string | undefined {
  if ('decision' in step) return step.decision.wanted.unit.component;
  return 'wanted' in step ? step.wanted.unit.component : undefined;
}

/** Removes files that are no longer used; a failure does not fail the deployment, which has succeeded. */
async function tidy({ desired, own }: Attempt, deps: SwarmRolloutDeps): Promise<void> {
  const { cluster } = deps;
  try {
    const { services } = await readInstance(cluster, desired.instanceUid, desired.definitionId);
    await removeUnusedFiles(cluster, own, services);
  } catch (error) {
    sayTo(deps)('warn', `Unused files could not be removed from the Swarm: ${(error as Error).message}`);
  }
}
