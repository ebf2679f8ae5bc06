import { isEngineProblem } from '../engine/engine-problem.ts';
import type { OrderedStep } from '../plan/plan-step.ts';

/** A step made no progress within the deadline of the template. */
export class TooLate extends Error {}

/**
 * Limits the time of a step since its last progress. The deadline of the rollout alone is not enough: steps run in
 * parallel, and a step that advances would hide one that hangs.
 */
export async function inTime(
  step: Pick<OrderedStep, 'key'>,
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
    // A timeout of the engine is the better explanation.
    if (isEngineProblem(error, 'timeout')) throw error;
    throw new TooLate(`The step ${step.key} made no progress within ${Math.round(limitMs / 1000)} s`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}
