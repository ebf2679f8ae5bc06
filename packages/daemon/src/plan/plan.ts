import { type Actual, isUp } from './actual.ts';
import type { Desired } from './desired.ts';
import { endingSteps, stopping } from './endings.ts';
import { finishInterrupted } from './finish.ts';
import { inOrder, type Plan, type PlanStep } from './plan-step.ts';
import { preparationSteps } from './preparation.ts';
import { startConditions } from './start-conditions.ts';
import { decide, isBeside, targetOf, type UnitDecision } from './unit-decisions.ts';

/**
 * Plans the steps to the desired containers and routes. Containers with an unchanged configuration are kept. Changed
 * ones are created beside the old ones, and nothing is stopped before all are created. Where two can run in parallel,
 * nothing is stopped before all new ones are healthy and have taken over. Volumes are created but never removed.
 */
export function plan(desired: Desired, actual: Actual): Plan {
  const finish = finishInterrupted(actual);
  const decisions = desired.units.map((unit) => decide(unit, desired, finish.actual));
  const finished = finish.steps.map(({ key }) => key);
  const preparations = preparationSteps(desired, decisions, finish.actual, finished);
  const prepared = [...finished, ...preparations.map(({ key }) => key)];
  const beginnings = beginningSteps(desired, decisions, prepared);
  const proven = [...prepared, ...beginnings.map(({ key }) => key)];
  const endings = endingSteps(desired, decisions, finish.actual, proven);
  return { steps: inOrder([...finish.steps, ...preparations, ...beginnings, ...endings]) };
}

function beginningSteps(desired: Desired, decisions: readonly UnitDecision[], prepared: readonly string[]): PlanStep[] {
  const conditions = startConditions(desired.units);
  return decisions.flatMap((decision): PlanStep[] => {
    const { unit, olds } = decision;
    if (decision.decision === 'keep') return [];
    const after = [...prepared, ...conditions(unit)];
    const target = targetOf(decision);
    if (unit.kind !== 'service') {
      return [{ key: `${unit.kind}:${unit.key}`, after, step: unit.kind, unit, target }];
    }
    const [start, healthy] = [`start:${unit.key}`, `wait_healthy:${unit.key}`];
    const inTheWay = decision.decision === 'start' || isBeside(decision) ? [] : olds.filter(isUp);
    const stops = inTheWay.map((container) => stopping(container, after));
    const stopped = [...after, ...stops.map(({ key }) => key)];
    return [
      ...stops,
      ...(decision.decision === 'adopt' ? [] : [{ key: start, after: stopped, step: 'start', unit, target } as const]),
      { key: healthy, after: [...stopped, start], step: 'wait_healthy', unit, target },
    ];
  });
}
