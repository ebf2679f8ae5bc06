import type { Plan, PlanStep } from '../plan/plan-step.ts';

/** Which step failed; the cause is what it failed of. */
export class StepFailed extends Error {
  readonly step: PlanStep;

  constructor(step: PlanStep, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.step = step;
  }
}

/**
 * Runs a plan: every step as soon as those it comes after are done. After a failure no further step begins, those under way are
 * told by their signal, and the failure is thrown once all of them have come to rest, so that what is read then stays true.
 */
export async function applyPlan(
  plan: Plan,
  run: (step: PlanStep, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const ends = new Map<string, Promise<boolean>>();
  let failure: StepFailed | undefined;
  const runAfter = async (step: PlanStep, before: Promise<boolean>[]): Promise<boolean> => {
    if (!(await Promise.all(before)).every(Boolean) || stop.signal.aborted) return false;
    try {
      either.throwIfAborted();
      await run(step, either);
      return true;
    } catch (error) {
      // Steps that were told to stop fail as well; the first failure is the one that tells why.
      failure ??= new StepFailed(step, error);
      stop.abort();
      return false;
    }
  };
  for (const step of plan.steps) {
    const before = step.after.map((key) => ends.get(key) ?? Promise.resolve(true));
    ends.set(step.key, runAfter(step, before));
  }
  await Promise.all(ends.values());
  if (failure) throw failure;
}
