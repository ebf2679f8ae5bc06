import { type Actual, type ActualContainer, isNext, isUp } from './actual.ts';
import type { Desired } from './desired.ts';
import { finishInterrupted } from './finish.ts';
import { plan } from './plan.ts';
import { inOrder, type Plan, type PlanStep } from './plan-step.ts';

export type Recovery =
  /** To the state before. */
  | { direction: 'back'; plan: Plan }
  /** The old is partly gone already, so the new, which was healthy, is completed. */
  | { direction: 'forward'; plan: Plan }
  /** Neither: a job has changed data in a way that old code must not meet. */
  | { direction: 'none'; irreversibleJob: string };

/** What to do after a rollout failed somewhere between `before` and `actual`. */
export function recoveryPlan(desired: Desired, before: Actual, actual: Actual): Recovery {
  if (isPastReturn(desired, before, actual)) return { direction: 'forward', plan: plan(desired, actual) };
  const irreversible = desired.units.find(
    (unit) =>
      unit.irreversible &&
      actual.containers.some((one) => isNext(one) && one.started && one.component === unit.component),
  );
  if (irreversible) return { direction: 'none', irreversibleJob: irreversible.component };
  return { direction: 'back', plan: wayBack(before, actual) };
}

function isPastReturn(desired: Desired, before: Actual, actual: Actual): boolean {
  if (finishInterrupted(actual).steps.length > 0) return true;
  const present = new Set(actual.containers.map(({ id }) => id));
  if (before.containers.some((one) => !isNext(one) && !present.has(one.id))) return true;
  // All that is left is to take away what is no longer declared.
  const left = plan(desired, actual).steps;
  return left.every(({ step }) => step === 'stop_old' || step === 'remove_old');
}

function wayBack(before: Actual, actual: Actual): Plan {
  const discards = actual.containers.filter(isNext).map((container): PlanStep => {
    return { key: `discard:${container.id}`, after: [], step: 'discard', container };
  });
  // The new one may hold a port or a name on the network that the old one needs.
  const after = discards.map(({ key }) => key);
  const restored = actual.containers.flatMap((container): PlanStep[] => {
    if (isNext(container)) return [];
    const served = shouldServe(container, before);
    if (served && !isUp(container)) return [{ key: `start_old:${container.id}`, after, step: 'start_old', container }];
    if (!served && isUp(container)) return [{ key: `stop_old:${container.id}`, after, step: 'stop_old', container }];
    return [];
  });
  return { steps: inOrder([...discards, ...restored]) };
}

/** It ran before, or an earlier attempt that was cut off had stopped it to replace it. */
function shouldServe({ id }: ActualContainer, before: Actual): boolean {
  return before.containers.some(
    (one) => (one.id === id && isUp(one)) || one.replaces.some((replaced) => replaced.id === id && replaced.running),
  );
}
