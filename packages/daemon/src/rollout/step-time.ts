import { isEngineProblem } from '../engine/engine-problem.ts';
import type { PlanStep } from '../plan/plan-step.ts';

/** Nothing moved in a step for as long as the template allows. */
export class TooLate extends Error {}

/**
 * Gives a step so much time from its last sign of progress. The deadline of the whole rollout alone would not do: steps run side
 * by side, and those that move would hide one that hangs.
 */
export async function inTime(
  step: PlanStep,
  limitMs: number,
  signal: AbortSignal,
  run: (signal: AbortSignal, progress: () => void) => Promise<string>,
): Promise<string> {
  const late = new AbortController();
  const begin = () => setTimeout(() => late.abort(), limitMs);
  let timer = begin();
  const progress = () => {
    clearTimeout(timer);
    timer = begin();
  };
  try {
    return await run(AbortSignal.any([signal, late.signal]), progress);
  } catch (error) {
    if (!late.signal.aborted || signal.aborted) throw error;
    // An engine that does not answer tells more than the clock.
    if (isEngineProblem(error, 'timeout')) throw error;
    throw new TooLate(`The step ${step.key} made no progress within ${Math.round(limitMs / 1000)} s`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}
