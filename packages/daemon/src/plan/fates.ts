import { type Actual, type ActualContainer, belongsTo, isNext, isUp } from './actual.ts';
import type { Desired, Unit } from './desired.ts';
import type { Target } from './plan-step.ts';

/**
 * Decision for a unit: keep it, start it again, or replace it by a new or a half-finished container. A replacement runs
 * in parallel with its predecessor until it takes over, or starts after the predecessor has stopped.
 */
export type Fate = { unit: Unit; olds: readonly ActualContainer[] } & (
  | { fate: 'keep'; serving: ActualContainer }
  | { fate: 'start'; serving: ActualContainer }
  | { fate: 'adopt'; adopted: ActualContainer; beside: boolean }
  | { fate: 'create'; beside: boolean }
);

export function fateOf(unit: Unit, { units, deploymentId }: Desired, { containers }: Actual): Fate {
  const own = containers.filter((container) => belongsTo(container, unit));
  const fits = (one: ActualContainer) => one.config === unit.config && one.name === unit.spec.name && !one.altered;
  const serving = own.find((one) => !isNext(one) && fits(one));
  // Also replaces an undeclared container that has the name of this unit.
  const isDeclared = (one: ActualContainer) => units.some((other) => belongsTo(one, other));
  const olds = containers.filter(
    (one) => !isNext(one) && (belongsTo(one, unit) || (one.name === unit.spec.name && !isDeclared(one))),
  );
  if (serving) {
    if (unit.kind !== 'service' && hasCompleted(serving)) return { unit, olds, fate: 'keep', serving };
    if (unit.kind === 'service' && serving.state === 'running') return { unit, olds, fate: 'keep', serving };
    const canStart = ['created', 'exited', 'restarting'].includes(serving.state);
    if (unit.kind === 'service' && canStart) return { unit, olds, fate: 'start', serving };
  }
  // Adopt only containers of this deployment, so that either all of them take over or none.
  const adopted = own.find((one) => isNext(one) && one.deployment === deploymentId && one.config === unit.config);
  if (adopted && isUsable(unit, adopted))
    return { unit, olds, fate: 'adopt', adopted, beside: adopted.home !== undefined };
  // If no container serves the component's name, starting in parallel has no benefit.
  const answers = containers.some((one) => !isNext(one) && isUp(one) && one.component === unit.component);
  return { unit, olds, fate: 'create', beside: unit.beside && (answers || olds.some(isUp)) };
}

export function targetOf(fate: Fate): Target {
  if (fate.fate === 'create') return { created: fate.unit };
  return { existing: fate.fate === 'adopt' ? fate.adopted : fate.serving };
}

export type Replacement = Extract<Fate, { fate: 'create' | 'adopt' }>;

export function isReplacement(fate: Fate): fate is Replacement {
  return fate.fate === 'create' || fate.fate === 'adopt';
}

export function isBeside(fate: Fate): fate is Replacement {
  return isReplacement(fate) && fate.beside;
}

/** Answers whether a container stays but is disconnected from the instance's network. */
export function isCutOff(fate: Fate, network: string): boolean {
  if (isReplacement(fate) || fate.unit.kind !== 'service' || fate.unit.aliases.length === 0) return false;
  return !fate.serving.networks.includes(network);
}

function hasCompleted({ state, exitCode, started }: ActualContainer): boolean {
  return state === 'exited' && exitCode === 0 && started;
}

/** A container that was only created may lack its files; a started one has them. */
function isUsable(unit: Unit, container: ActualContainer): boolean {
  return container.state === 'running' || (unit.kind !== 'service' && hasCompleted(container));
}
