import type { DeployedImage } from '@hortus/contract/resources/deployments';
import type { RegistryLogin } from '@hortus/contract/resources/manifest';
import type { StepId } from '@hortus/contract/steps';
import type { Manifest } from '@hortus/contract/template/manifest';
import { withAlterations } from '../drift/alterations.ts';
import type { ContainerFacts } from '../engine/container-facts.ts';
import type { Engine } from '../engine/engine.ts';
import type { Ingress } from '../ingress/ingress.ts';
import { type Desired, desiredState } from '../plan/desired.ts';
import { plan } from '../plan/plan.ts';
import type { Plan, PlanStep } from '../plan/plan-step.ts';
import { recoveryPlan } from '../plan/recovery.ts';
import { type RouteRule, routeRule } from '../plan/routes.ts';
import { digestsOf } from '../pull/digests.ts';
import { applyPlan, StepFailed } from './apply.ts';
import type { Health, Status } from './container-status.ts';
import { engineReturned, type Patience } from './engine-return.ts';
import { type Failure, failureOf, messageOf, NameTaken, requireFree } from './failure.ts';
import { Gap } from './gap.ts';
import { requireAddresses } from './network-room.ts';
import { type Reading, readActual } from './read-actual.ts';
import { type ImageIds, renewImages, withMovedImages } from './renewal.ts';
import { describeSuccess } from './rollout-outcome.ts';
import { StepRunner } from './step-runner.ts';
import { inTime } from './step-time.ts';

export interface Rollout {
  deploymentId: string;
  definitionId: string;
  revision: number;
  manifest: Manifest;
  /** What the instance was last rolled out by; its routes come back if this rollout fails. */
  former?: Manifest | undefined;
  serverId: string;
  /** Whether all images are asked for again, and those that have changed replace what runs. */
  renew?: boolean | undefined;
  /** How to sign in where the images come from. */
  logins?: readonly RegistryLogin[] | undefined;
  /** These components and no others, and without a way in from outside; all of them unless said. */
  only?: ReadonlySet<string> | undefined;
}

export interface RolloutEvents {
  log(line: RolloutLogLine): void;
  /** Something moved: the deadline counts anew from here. */
  progress(): void;
}

export interface RolloutLogLine {
  at: number;
  level: 'info' | 'warn' | 'error';
  message: string;
  step?: StepId;
}

/** Told before each step, so that a daemon that starts again can say where it was; what to do it reads from the engine. */
export interface StepJournal {
  step(step: string): void;
  /** An image that was not on the server before. */
  pulled?(image: string): void;
}

export interface RolloutDeps {
  engine: Engine;
  events: RolloutEvents;
  /** Aborted to cancel, or past the deadline; a text as its reason becomes the result's. */
  signal: AbortSignal;
  ingress: Pick<Ingress, 'routesOf' | 'taken' | 'lead' | 'trouble'>;
  journal?: StepJournal;
  /** For tests, which end the process there: before and after each step. */
  boundary?: ((moment: string) => void) | undefined;
}

export interface RolloutResult {
  status: 'success' | 'failed';
  error?: string;
  /** For code: unhealthy, exited, job_failed, image, manifest, engine, disk_full, name_taken, route_taken, network_pool, network_size, deadline, irreversible, or why it was aborted. */
  reason?: string;
  /** After a failure: whether what ran before runs as before. */
  restored?: boolean;
  /** For how long it did not serve; missing where nothing that ran was replaced. */
  gap_ms?: number;
  instance?: {
    container_id: string;
    container_name: string;
    status: Status;
    health: Health;
    started_at: number | null;
    /** Where it is reached instead, if its route cannot be served. */
    url?: string;
  };
  /** Of a success: what each component runs. */
  images?: DeployedImage[];
  components: { name: string; container_id: string; status: Status; health: Health; image: string }[];
}

/** Going back has a time of its own: the deadline that ended the rollout must not end its repair. */
const recoveryTimeMs = 10 * 60_000;

/** An engine that goes away more often than this during one rollout may do so because of it. */
const MOST_RETURNS = 3;

/** Brings an instance to what the manifest says, or back to what it was. Never throws: every end is a result. */
export async function rollOut(rollout: Rollout, deps: RolloutDeps): Promise<RolloutResult> {
  const { events, signal } = deps;
  for (let returns = 0; ; returns++) {
    let attempt: Attempt | undefined;
    try {
      attempt = await begin(rollout, deps);
      const steps = plan(attempt.desired, attempt.before.actual);
      await requireAddresses(deps.engine, steps, attempt.desired, attempt.before.actual);
      if (steps.steps.length === 0) log(events, 'info', 'Everything is as it should be; nothing to do');
      await apply(steps, attempt, deps, signal);
      if (returns < MOST_RETURNS && (await isStopped(attempt, deps))) continue;
      return await succeeded(attempt, deps, attempt.runner.ready);
    } catch (error) {
      // An engine that was restarted is like a daemon that was killed: the way on is found from what is there.
      const patience = patienceOf(rollout, deps, rollout.manifest.deadline_ms, signal);
      if (returns < MOST_RETURNS && (await engineReturned(error, deps.engine, patience))) continue;
      const failure = failureOf(error, signal);
      log(events, 'error', failure.error, error instanceof StepFailed ? error.step.step : undefined);
      return attempt === undefined
        ? { status: 'failed', ...failure, components: [] }
        : await recover(attempt, deps, failure);
    }
  }
}

/** Reads what is there. */
async function begin(rollout: Rollout, deps: RolloutDeps): Promise<Attempt> {
  const desired = desiredState(rollout);
  const found = await look(deps, rollout.serverId, desired);
  const before = rollout.renew ? withMovedImages(found, await renew(rollout, deps)) : found;
  deps.signal.throwIfAborted();
  const gap = new Gap(before);
  return { rollout, desired, before, gap, runner: stepRunner(rollout, desired, gap, deps) };
}

async function renew({ manifest, logins = [] }: Rollout, { engine, events, signal }: RolloutDeps): Promise<ImageIds> {
  const say = (level: 'info' | 'warn', message: string) => log(events, level, message, 'pull');
  return await renewImages(manifest, { engine, logins, signal, say, progress: () => events.progress() });
}

/** While the engine is waited for, whoever follows the rollout hears so, and that it is not forgotten. */
function patienceOf(
  { manifest: { deadline_ms } }: Rollout,
  { events }: RolloutDeps,
  withinMs: number,
  signal: AbortSignal,
): Patience {
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
  { logins = [] }: Rollout,
  { instanceUid }: Desired,
  gap: Gap,
  { engine, ingress, events, journal }: RolloutDeps,
): StepRunner {
  const warn = (message: string) => log(events, 'warn', message, 'route');
  const say = (level: 'info' | 'warn', message: string) => log(events, level, message, 'pull');
  const pulled = (image: string) => journal?.pulled?.(image);
  return new StepRunner({ engine, ingress, instanceUid, gap, logins, warn, say, pulled });
}

/** Reads what is there, and makes sure that the names we will need at the very end are free or ours. */
async function look({ engine, ingress }: RolloutDeps, serverId: string, desired: Desired): Promise<Reading> {
  const { instanceUid, routes, units } = desired;
  requireFree(ingress, instanceUid, routes);
  const [reading, ...holders] = await Promise.all([
    readActual(engine, serverId, desired, ingress.routesOf(instanceUid)),
    ...units.map(({ spec }) => engine.inspect(spec.name)),
  ]);
  // The engine also finds by the beginning of an id, so the name is compared.
  const taken = units.find(({ spec }, index) => {
    const holder = holders[index];
    return holder?.name === spec.name && !reading.facts.has(holder.id);
  });
  if (taken)
    throw new NameTaken(
      `A container named ${taken.spec.name} exists that is not of this definition; rename or remove it first`,
    );
  return await withAlterations(engine, desired, reading);
}

async function apply(steps: Plan, attempt: Attempt, deps: RolloutDeps, signal: AbortSignal): Promise<void> {
  const { events, journal, boundary } = deps;
  const { rollout, runner } = attempt;
  await applyPlan(
    steps,
    async (step: PlanStep, stepSignal) => {
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
    },
    signal,
  );
}

/**
 * Whether something that was proven does not run any more. An engine that is killed and started again between two of our calls
 * stops what it finds running, and holds that for the wish of a person, so that it does not start it again itself.
 */
async function isStopped({ runner }: Attempt, { engine, events }: RolloutDeps): Promise<boolean> {
  const proven = await Promise.all([...runner.ready.values()].map(({ id }) => engine.inspect(id)));
  const stopped = proven.find((facts) => facts?.state === 'exited' && isKeptUp(facts));
  if (stopped) log(events, 'warn', `${stopped.name} was stopped meanwhile; starting it again`);
  return stopped !== undefined;
}

/** One that ends by itself is started again by the engine. */
const isKeptUp = ({ restartPolicy }: ContainerFacts): boolean => /^(always|unless-stopped)$/.test(restartPolicy);

async function succeeded(
  { rollout, desired, before, gap }: Attempt,
  { engine, ingress }: RolloutDeps,
  ready: ReadonlyMap<string, ContainerFacts>,
): Promise<RolloutResult> {
  const result = describeSuccess(desired, before, ready);
  const made = new Map([...before.facts.values(), ...ready.values()].map((facts) => [facts.id, facts.imageId]));
  // Those of scheduled jobs too: going back must bring back what they will run.
  const images = rollout.manifest.components.map(({ name: component, image }) => {
    const container = result.components.find(({ name }) => name === component)?.container_id;
    return { component, image, id: container === undefined ? undefined : made.get(container) };
  });
  result.images = await digestsOf(engine, images);
  if (gap.ms !== undefined) result.gap_ms = gap.ms;
  const primary = rollout.manifest.routes.find((route) => route.primary)?.name;
  const led = ingress.routesOf(desired.instanceUid).find(({ name }) => name === primary);
  const address = led?.targets.find((target) => target.address)?.address;
  if (ingress.trouble !== undefined && result.instance && address) result.instance.url = `http://${address}`;
  return result;
}

/** After a failure: back to what ran before, or, where that is partly gone, on to what was already proven healthy. */
async function recover(attempt: Attempt, deps: RolloutDeps, failure: Failure): Promise<RolloutResult> {
  const { events } = deps;
  const { rollout, desired, before, gap, runner } = attempt;
  const failed = { status: 'failed' as const, ...failure, components: [] };
  const timeout = AbortSignal.timeout(recoveryTimeMs);
  try {
    const { actual } = await readWhenBack(attempt, deps, timeout);
    const recovery = recoveryPlan(desired, before.actual, actual, formerRoutes(rollout));
    if (recovery.direction === 'none') {
      const why = `${recovery.irreversibleJob} may have changed data that the previous version must not meet; nothing was rolled back`;
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
    if (again) log(events, 'warn', 'The previous version serves again');
    return { ...failed, restored: true };
  } catch (error) {
    const why = `Going back failed as well: ${messageOf(error)}`;
    log(events, 'error', why);
    return { ...failed, restored: false, error: `${failure.error}\n${why}` };
  }
}

/** What is there after a failure. If the engine itself is what failed there is nothing to go back to before it answers. */
async function readWhenBack({ rollout, desired }: Attempt, deps: RolloutDeps, signal: AbortSignal): Promise<Reading> {
  const { engine, ingress } = deps;
  const read = async () => {
    const routes = ingress.routesOf(desired.instanceUid);
    return await withAlterations(engine, desired, await readActual(engine, rollout.serverId, desired, routes));
  };
  try {
    return await read();
  } catch (error) {
    if (!(await engineReturned(error, engine, patienceOf(rollout, deps, recoveryTimeMs, signal)))) throw error;
    return await read();
  }
}

function formerRoutes({ former }: Rollout): RouteRule[] {
  return (former?.routes ?? []).map(routeRule);
}

function log(events: RolloutEvents, level: RolloutLogLine['level'], message: string, step?: StepId): void {
  events.log({ at: Date.now(), level, message, ...(step === undefined ? {} : { step }) });
}
