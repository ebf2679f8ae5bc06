import { type Actual, type ActualContainer, belongsTo, isNext, isUp } from './actual.ts';
import type { Desired, Unit } from './desired.ts';
import type { Target } from './plan-step.ts';

/**
 * What becomes of a unit: kept as it is, started again, or replaced by a container that is new or was left half-way. A new one
 * runs beside its predecessor until it has taken over, or waits until that has been stopped.
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
  // Besides its own predecessor, what is no longer declared and has the name this one is to have.
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
  // Only one of this very deployment: then either all of its containers take over, or none.
  const adopted = own.find((one) => isNext(one) && one.deployment === deploymentId && one.config === unit.config);
  if (adopted && isUsable(unit, adopted))
    return { unit, olds, fate: 'adopt', adopted, beside: adopted.home !== undefined };
  // Where nobody answers to the name of the component there is nothing to wait for with it.
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

/** It stays, but is not on the network where the others know it by its names. */
export function isCutOff(fate: Fate, network: string): boolean {
  if (isReplacement(fate) || fate.unit.kind !== 'service' || fate.unit.aliases.length === 0) return false;
  return !fate.serving.networks.includes(network);
}

function hasCompleted({ state, exitCode, started }: ActualContainer): boolean {
  return state === 'exited' && exitCode === 0 && started;
}

/** One that was only created may lack its files; one that was started has had them. */
function isUsable(unit: Unit, container: ActualContainer): boolean {
  return container.state === 'running' || (unit.kind !== 'service' && hasCompleted(container));
}
