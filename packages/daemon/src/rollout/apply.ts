import type { OrderedStep } from '../plan/plan-step.ts';

/** A failed step; `cause` is its error. */
export class StepFailed extends Error {
  readonly step: OrderedStep;

  constructor(step: OrderedStep, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.step = step;
  }
}

/**
 * Runs a plan: each step starts once the steps in its `after` have succeeded. After a failure no further step starts
 * and running steps are aborted. Throws only after all of them have ended, so that a state read afterwards is stable.
 */
export async function applyPlan<Step extends OrderedStep>(
  plan: { steps: readonly Step[] },
  run: (step: Step, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const ends = new Map<string, Promise<boolean>>();
  let failure: StepFailed | undefined;
  const runAfter = async (step: Step, before: Promise<boolean>[]): Promise<boolean> => {
    if (!(await Promise.all(before)).every(Boolean) || stop.signal.aborted) return false;
    try {
      either.throwIfAborted();
      await run(step, either);
      return true;
    } catch (error) {
      // Aborted steps fail too; only the first failure is the cause.
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
