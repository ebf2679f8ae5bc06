import type { StepId } from '@hortus/contract/playbooks';
import type { Manifest } from '@hortus/contract/template/manifest';
import type { Engine } from '../engine/engine.ts';
import { EngineProblem } from '../engine/engine-problem.ts';
import { type Desired, desiredState, ManifestProblem } from '../plan/desired.ts';
import { plan } from '../plan/plan.ts';
import type { Plan, PlanStep } from '../plan/plan-step.ts';
import { recoveryPlan } from '../plan/recovery.ts';
import { applyPlan, StepFailed } from './apply.ts';
import type { Health, Status } from './container-status.ts';
import { type Reading, readActual } from './read-actual.ts';
import { NotReady } from './readiness.ts';
import { describeSuccess } from './rollout-outcome.ts';
import { StepRunner } from './step-runner.ts';

export interface Rollout {
  deploymentId: string;
  definitionId: string;
  revision: number;
  manifest: Manifest;
  serverId: string;
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
}

export interface RolloutDeps {
  engine: Engine;
  events: RolloutEvents;
  /** Aborted to cancel, or past the deadline; a text as its reason becomes the result's. */
  signal: AbortSignal;
  journal?: StepJournal;
}

export interface RolloutResult {
  status: 'success' | 'failed';
  error?: string;
  /** For code: unhealthy, exited, job_failed, manifest, engine, name_taken, irreversible, or why it was aborted. */
  reason?: string;
  /** After a failure: whether what ran before runs as before. */
  restored?: boolean;
  instance?: {
    container_id: string;
    container_name: string;
    status: Status;
    health: Health;
    started_at: number | null;
  };
  components: { name: string; container_id: string; status: Status; health: Health; image: string }[];
}

/** Going back has a time of its own: the deadline that ended the rollout must not end its repair. */
const recoveryTimeMs = 10 * 60_000;

/** Brings an instance to what the manifest says, or back to what it was. Never throws: every end is a result. */
export async function rollOut(rollout: Rollout, deps: RolloutDeps): Promise<RolloutResult> {
  const { engine, events, signal } = deps;
  let desired: Desired;
  let before: Reading;
  try {
    desired = desiredState(rollout);
    before = await look(engine, rollout.serverId, desired);
    signal.throwIfAborted();
  } catch (error) {
    const text = errorText(error, signal);
    log(events, 'error', text);
    return { status: 'failed', error: text, reason: reasonOf(error, signal), components: [] };
  }
  const attempt: Attempt = { rollout, desired, before, runner: stepRunner(engine, events) };
  try {
    const steps = plan(desired, before.actual);
    if (steps.steps.length === 0) log(events, 'info', 'Everything is as it should be; nothing to do');
    await apply(steps, attempt.runner, deps, signal);
    return describeSuccess(desired, before, attempt.runner.ready);
  } catch (error) {
    const failure = { error: errorText(error, signal), reason: reasonOf(error, signal) };
    log(events, 'error', failure.error, error instanceof StepFailed ? error.step.step : undefined);
    return await recover(attempt, deps, failure);
  }
}

interface Attempt {
  rollout: Rollout;
  desired: Desired;
  before: Reading;
  runner: StepRunner;
}

/** Of its steps only a pull takes so long that it speaks in between. */
function stepRunner(engine: Engine, events: RolloutEvents): StepRunner {
  return new StepRunner(
    engine,
    () => events.progress(),
    (line) => log(events, 'info', line, 'pull'),
  );
}

/** Reads what is there, and makes sure that the names we will need at the very end are free or ours. */
async function look(engine: Engine, serverId: string, desired: Desired): Promise<Reading> {
  const [reading, ...holders] = await Promise.all([
    readActual(engine, serverId, desired.instanceUid),
    ...desired.units.map(({ spec }) => engine.inspect(spec.name)),
  ]);
  // The engine also finds by the beginning of an id, so the name is compared.
  const taken = desired.units.find(({ spec }, index) => {
    const holder = holders[index];
    return holder?.name === spec.name && !reading.facts.has(holder.id);
  });
  if (taken)
    throw new NameTaken(`A container named ${taken.spec.name} exists that is not this server's; rename it first`);
  return reading;
}

class NameTaken extends Error {}

async function apply(
  steps: Plan,
  runner: StepRunner,
  { events, journal }: RolloutDeps,
  signal: AbortSignal,
): Promise<void> {
  await applyPlan(
    steps,
    async (step: PlanStep, stepSignal) => {
      const begun = performance.now();
      journal?.step(step.key);
      const done = await runner.run(step, stepSignal);
      log(events, 'info', `${done} (${Math.round(performance.now() - begun)} ms)`, step.step);
      events.progress();
    },
    signal,
  );
}

/** After a failure: back to what ran before, or, where that is partly gone, on to what was already proven healthy. */
async function recover(
  { rollout, desired, before, runner }: Attempt,
  deps: RolloutDeps,
  failure: { error: string; reason: string },
): Promise<RolloutResult> {
  const { engine, events } = deps;
  const failed = { status: 'failed' as const, ...failure, components: [] };
  try {
    const { actual } = await readActual(engine, rollout.serverId, desired.instanceUid);
    const recovery = recoveryPlan(desired, before.actual, actual);
    if (recovery.direction === 'none') {
      const why = `${recovery.irreversibleJob} may have changed data that the previous version must not meet; nothing was rolled back`;
      log(events, 'warn', why);
      return { ...failed, restored: false, reason: 'irreversible', error: `${failure.error}\n${why}` };
    }
    const helper = stepRunner(engine, events);
    await apply(recovery.plan, helper, deps, AbortSignal.timeout(recoveryTimeMs));
    if (recovery.direction === 'forward') {
      log(events, 'warn', 'The old containers were partly removed already, so the rollout was completed');
      return describeSuccess(desired, before, new Map([...runner.ready, ...helper.ready]));
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

function log(events: RolloutEvents, level: RolloutLogLine['level'], message: string, step?: StepId): void {
  events.log({ at: Date.now(), level, message, ...(step === undefined ? {} : { step }) });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What a step that was told to stop says of itself is of no use to anybody. */
function errorText(error: unknown, signal: AbortSignal): string {
  return signal.aborted ? `The deployment was ended: ${reasonOf(error, signal)}` : messageOf(error);
}

function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return typeof signal.reason === 'string' ? signal.reason : 'aborted';
  const cause = error instanceof StepFailed ? error.cause : error;
  if (cause instanceof NotReady) return cause.reason;
  if (cause instanceof ManifestProblem) return 'manifest';
  if (cause instanceof NameTaken) return 'name_taken';
  if (cause instanceof EngineProblem) return 'engine';
  return 'internal';
}
