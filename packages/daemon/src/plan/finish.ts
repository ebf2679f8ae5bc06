import { type Actual, type ActualContainer, isNext } from './actual.ts';
import { lastingName } from './names.ts';
import type { PlanStep } from './plan-step.ts';

export interface Finish {
  steps: PlanStep[];
  /** State after the steps. */
  actual: Actual;
}

/**
 * Completes a rollout that was interrupted while it removed old containers and renamed new ones. From then on the old
 * state cannot be restored, so this runs before anything else. The engine shows that it had begun: a new container
 * whose predecessor is gone, or whose sibling of the same deployment already has its final name.
 */
export function finishInterrupted(actual: Actual): Finish {
  const { containers } = actual;
  const present = new Set(containers.map(({ id }) => id));
  const settled = new Set(containers.filter((container) => !isNext(container)).map(({ deployment }) => deployment));
  const begun = new Set(
    containers
      .filter(
        (container) =>
          isNext(container) &&
          (settled.has(container.deployment) || container.replaces.some(({ id }) => !present.has(id))),
      )
      .map(({ deployment }) => deployment),
  );
  const proven = containers.filter((container) => isNext(container) && begun.has(container.deployment));
  if (proven.length === 0) return { steps: [], actual };
  const names = new Map(proven.map((container) => [container.id, lastingName(container.name)]));
  const taken = new Set(names.values());
  const replaced = new Set(proven.flatMap(({ replaces }) => replaces.map(({ id }) => id)));
  const superseded = containers.filter(
    (container) => !names.has(container.id) && (replaced.has(container.id) || taken.has(container.name)),
  );
  const removals = superseded.map((container) => removal(container));
  const after = removals.map(({ key }) => key);
  const renames = proven.map((container): PlanStep => {
    const name = names.get(container.id) as string;
    return { key: `switch:${container.id}`, after, step: 'switch', target: { existing: container }, name };
  });
  const gone = new Set(superseded.map(({ id }) => id));
  return {
    steps: [...removals, ...renames],
    actual: {
      ...actual,
      containers: containers
        .filter(({ id }) => !gone.has(id))
        .map((container) => ({ ...container, name: names.get(container.id) ?? container.name })),
    },
  };
}

function removal(container: ActualContainer): PlanStep {
  return { key: `remove_old:${container.id}`, after: [], step: 'remove_old', container };
}
