import type { StepId } from '@hortus/contract/actions/steps';
import type { RegistryLogin } from '@hortus/contract/resources/manifest';
import type { Manifest } from '@hortus/contract/template/manifest';
import { withAlterations } from '../drift/alterations.ts';
import type { ContainerFacts } from '../engine/container-facts.ts';
import type { Engine } from '../engine/engine.ts';
import type { Ingress } from '../ingress/ingress.ts';
import { type Reading, readActual } from '../instances/read-actual.ts';
import type { RolloutResult } from '../journal/rollout-result.ts';
import { type Desired, desiredState } from '../plan/desired.ts';
import { plan } from '../plan/plan.ts';
import type { Plan, PlanStep } from '../plan/plan-step.ts';
import { recoveryPlan } from '../plan/recovery.ts';
import { type RouteRule, routeRule } from '../plan/routes.ts';
import { digestsOf } from '../pull/digests.ts';
import { applyPlan, StepFailed } from './apply.ts';
import { engineReturned, type WaitLimits } from './engine-return.ts';
import { type Failure, failureOf, messageOf, NameTaken, requireFree } from './failure.ts';
import { Gap } from './gap.ts';
import { requireAddresses } from './network-room.ts';
import { isKeptUp, StoppedFromOutside } from './readiness.ts';
import { type ImageIds, renewImages, withMovedImages } from './renewal.ts';
import { describeSuccess } from './rollout-outcome.ts';
import { StepRunner } from './step-runner.ts';
import { inStepSpan } from './step-span.ts';
import { inTime } from './step-time.ts';

export interface Rollout {
  deploymentId: string;
  definitionId: string;
  revision: number;
  manifest: Manifest;
  /** Manifest of the last rollout; its routes are restored if this rollout fails. */
  former?: Manifest | undefined;
  serverId: string;
  /** Pull all images again and replace containers whose image changed. */
  renew?: boolean | undefined;
  /** Registry credentials for the images. */
  logins?: readonly RegistryLogin[] | undefined;
  /** Deploy only these components, without routes, and apart from instances that use them; all components by default. */
  only?: ReadonlySet<string> | undefined;
}

interface RolloutEvents {
  log(line: RolloutLogLine): void;
  /** Reports progress, which restarts the deadline. */
  progress(): void;
}

export interface RolloutLogLine {
  at: number;
  level: 'info' | 'warn' | 'error';
  message: string;
  step?: StepId;
}

/**
 * Records each step before it runs, so that a restarted daemon can report where it was. The engine, not this record,
 * decides what is left to do.
 */
interface StepJournal {
  step(step: string): void;
  /** Records an image that was not on the server before. */
  pulled?(image: string): void;
}

export interface RolloutDeps {
  engine: Engine;
  events: RolloutEvents;
  /** Aborted by a cancellation or the deadline; a text as its reason becomes the reason of the result. */
  signal: AbortSignal;
  ingress: Pick<Ingress, 'routesOf' | 'taken' | 'lead' | 'trouble'> & Partial<Pick<Ingress, 'cluster'>>;
  journal?: StepJournal;
  /** Called with an error that is a defect rather than an outcome, for the log of the daemon. */
  unexpected?: (error: unknown) => void;
  /** Called before and after each step; tests end the process there. */
  boundary?: ((moment: string) => void) | undefined;
}

/** Time limit of a recovery; the deadline of the rollout must not abort it. */
const recoveryTimeMs = 10 * 60_000;

/** Limit of engine restarts during one rollout, which may be their cause. */
const MAX_RETURNS = 3;

/** Applies the manifest to an instance, or restores its previous state. Never throws: every outcome is a result. */
export async function rollOut(rollout: Rollout, deps: RolloutDeps): Promise<RolloutResult> {
  const { events, signal } = deps;
  for (let returns = 0; ; returns++) {
    let attempt: Attempt | undefined;
    try {
      attempt = await begin(rollout, deps);
      const steps = plan(attempt.desired, attempt.before.actual);
      await requireAddresses(deps.engine, steps, attempt.desired, attempt.before.actual);
      if (steps.steps.length === 0) log(events, 'info', 'The instance already matches the manifest; nothing to do');
      await apply(steps, attempt, deps, signal);
      if (returns < MAX_RETURNS && (await isStopped(attempt, deps))) continue;
      return await succeeded(attempt, deps, attempt.runner.ready);
    } catch (error) {
      // An engine restart is handled like a daemon crash: plan again from the actual state.
      const waitLimits = waitLimitsOf(rollout, deps, rollout.manifest.deadline_ms, signal);
      if (returns < MAX_RETURNS) {
        if (wasStopped(error, events) || (await engineReturned(error, deps.engine, waitLimits))) continue;
      }
      const failure = failureOf(error, signal);
      if (failure.reason === 'internal') deps.unexpected?.(error);
      log(events, 'error', failure.error, error instanceof StepFailed ? error.step.step : undefined);
      return attempt === undefined
        ? { status: 'failed', ...failure, components: [] }
        : await recover(attempt, deps, failure);
    }
  }
}

/** Reads the actual state. */
async function begin(rollout: Rollout, deps: RolloutDeps): Promise<Attempt> {
  const desired = desiredState(rollout);
  const found = await poll(deps, rollout.serverId, desired);
  const before = rollout.renew ? withMovedImages(found, await renew(rollout, deps)) : found;
  deps.signal.throwIfAborted();
  const gap = new Gap(before);
  return { rollout, desired, before, gap, runner: stepRunner(rollout, desired, gap, deps) };
}

async function renew({ manifest, logins = [] }: Rollout, { engine, events, signal }: RolloutDeps): Promise<ImageIds> {
  const say = (level: 'info' | 'warn', message: string) => log(events, level, message, 'pull');
  return await renewImages(manifest, { engine, logins, signal, say, progress: () => events.progress() });
}

/** Logs waiting for the engine as progress, so that the service does not give the rollout up. */
function waitLimitsOf(
  { manifest: { deadline_ms } }: Rollout,
  { events }: RolloutDeps,
  withinMs: number,
  signal: AbortSignal,
): WaitLimits {
  const say = (message: string) => {
    log(events, 'warn', message);
    events.progress();
  };
  return { withinMs, everyMs: Math.min(30_000, deadline_ms / 3), say, signal };
}

interface Attempt {
  rollout: Rollout;
  desired: Desired;
  before: Reading;
  gap: Gap;
  runner: StepRunner;
}

function stepRunner(
  { logins = [], only }: Rollout,
  { instanceUid }: Desired,
  gap: Gap,
  { engine, ingress, events, journal }: RolloutDeps,
): StepRunner {
  const warn = (message: string) => log(events, 'warn', message, 'route');
  const say = (level: 'info' | 'warn', message: string) => log(events, level, message, 'pull');
  const pulled = (image: string) => journal?.pulled?.(image);
  const apart = only !== undefined;
  return new StepRunner({ engine, ingress, instanceUid, gap, apart, logins, warn, say, pulled });
}

/** Reads the actual state, and checks that routes and final names are free or belong to this instance. */
async function poll({ engine, ingress }: RolloutDeps, serverId: string, desired: Desired): Promise<Reading> {
  const { instanceUid, routes, units } = desired;
  requireFree(ingress, instanceUid, routes);
  const [reading, ...holders] = await Promise.all([
    readActual(engine, serverId, desired, ingress.routesOf(instanceUid)),
    ...units.map(({ spec }) => engine.inspect(spec.name)),
  ]);
  // The engine also matches prefixes of ids, so compare the name.
  const taken = units.find(({ spec }, index) => {
    const holder = holders[index];
    return holder?.name === spec.name && !reading.facts.has(holder.id);
  });
  if (taken)
    throw new NameTaken(`Container ${taken.spec.name} exists but is not of this definition; rename or remove it first`);
  return await withAlterations(engine, desired, reading);
}

async function apply(steps: Plan, attempt: Attempt, deps: RolloutDeps, signal: AbortSignal): Promise<void> {
  const { events, journal, boundary } = deps;
  const { rollout, runner } = attempt;
  await applyPlan(
    steps,
    traced(async (step: PlanStep, stepSignal) => {
      const begun = performance.now();
      journal?.step(step.key);
      boundary?.(`before ${step.step}`);
      const done = await inTime(step, rollout.manifest.deadline_ms, stepSignal, (limited, progress) =>
        runner.run(step, limited, () => {
          progress();
          events.progress();
        }),
      );
      log(events, 'info', `${done} (${Math.round(performance.now() - begun)} ms)`, step.step);
      events.progress();
      boundary?.(`after ${step.step}`);
    }),
    signal,
  );
}

const traced =
  (run: (step: PlanStep, signal: AbortSignal) => Promise<void>) =>
  (step: PlanStep, signal: AbortSignal): Promise<void> =>
    inStepSpan(step.step, 'unit' in step ? step.unit.component : undefined, () => run(step, signal));

/** Answers whether a ready container was stopped since. */
async function isStopped({ runner }: Attempt, { engine, events }: RolloutDeps): Promise<boolean> {
  const proven = await Promise.all([...runner.ready.values()].map(({ id }) => engine.inspect(id)));
  const stopped = proven.find((facts) => facts?.state === 'exited' && isKeptUp(facts));
  if (stopped) log(events, 'warn', `${stopped.name} was stopped in the meantime; starting it again`);
  return stopped !== undefined;
}

/** Answers whether a container was stopped before it was ready, and logs that. */
function wasStopped(error: unknown, events: RolloutEvents): boolean {
  const cause = error instanceof StepFailed ? error.cause : error;
  if (!(cause instanceof StoppedFromOutside)) return false;
  log(events, 'warn', `${cause.container} was stopped in the meantime; starting it again`);
  return true;
}

async function succeeded(
  { rollout, desired, before, gap }: Attempt,
  { engine, ingress }: RolloutDeps,
  ready: ReadonlyMap<string, ContainerFacts>,
): Promise<RolloutResult> {
  const result = describeSuccess(desired, before, ready);
  const made = new Map([...before.facts.values(), ...ready.values()].map((facts) => [facts.id, facts]));
  // Include scheduled jobs: a rollback must restore the images that they will run.
  const images = rollout.manifest.components.map(({ name: component, image }) => {
    const container = result.components.find(({ name }) => name === component)?.container_id;
    const facts = container === undefined ? undefined : made.get(container);
    const substitute = facts ? facts.substitute : engine.substituteFor(image);
    return { component, image, id: facts?.imageId, substitute };
  });
  result.images = await digestsOf(engine, images);
  if (gap.ms !== undefined) result.gap_ms = gap.ms;
  const primary = rollout.manifest.routes.find((route) => route.primary)?.name;
  const led = ingress.routesOf(desired.instanceUid).find(({ name }) => name === primary);
  const address = led?.targets.find((target) => target.address)?.address;
  if (ingress.trouble !== undefined && result.instance && address) result.instance.url = `http://${address}`;
  return result;
}

/** Restores the previous version after a failure, or completes the rollout if old containers were already removed. */
async function recover(attempt: Attempt, deps: RolloutDeps, failure: Failure): Promise<RolloutResult> {
  const { events } = deps;
  const { rollout, desired, before, gap, runner } = attempt;
  const failed = { status: 'failed' as const, ...failure, components: [] };
  const timeout = AbortSignal.timeout(recoveryTimeMs);
  try {
    const { actual } = await readWhenBack(attempt, deps, timeout);
    const recovery = recoveryPlan(desired, before.actual, actual, formerRoutes(rollout));
    if (recovery.direction === 'none') {
      const why = `${recovery.irreversibleJob} may have changed data in a way that the previous version cannot read; nothing was rolled back`;
      log(events, 'warn', why);
      return { ...failed, restored: false, reason: 'irreversible', error: `${failure.error}\n${why}` };
    }
    const helper = stepRunner(rollout, desired, gap, deps);
    await apply(recovery.plan, { ...attempt, runner: helper }, deps, timeout);
    if (recovery.direction === 'forward') {
      log(events, 'warn', 'The old containers were partly removed already, so the rollout was completed');
      return await succeeded(attempt, deps, new Map([...runner.ready, ...helper.ready]));
    }
    const again = recovery.plan.steps.some(({ step }) => step === 'start_old');
    if (again) log(events, 'warn', 'The previous version is running again');
    return { ...failed, restored: true };
  } catch (error) {
    const why = `The rollback failed too: ${messageOf(error)}`;
    log(events, 'error', why);
    return { ...failed, restored: false, error: `${failure.error}\n${why}` };
  }
}

/** Reads the state after a failure. If the engine is unreachable, waits for it first. */
async function readWhenBack({ rollout, desired }: Attempt, deps: RolloutDeps, signal: AbortSignal): Promise<Reading> {
  const { engine, ingress } = deps;
  const read = async () => {
    const routes = ingress.routesOf(desired.instanceUid);
    return await withAlterations(engine, desired, await readActual(engine, rollout.serverId, desired, routes));
  };
  try {
    return await read();
  } catch (error) {
    if (!(await engineReturned(error, engine, waitLimitsOf(rollout, deps, recoveryTimeMs, signal)))) throw error;
    return await read();
  }
}

function formerRoutes({ former }: Rollout): RouteRule[] {
  return (former?.routes ?? []).map(routeRule);
}

function log(events: RolloutEvents, level: RolloutLogLine['level'], message: string, step?: StepId): void {
  events.log({ at: Date.now(), level, message, ...(step === undefined ? {} : { step }) });
}
