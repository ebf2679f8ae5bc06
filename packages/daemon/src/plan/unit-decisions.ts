import { type Actual, type ActualContainer, belongsTo, isNext, isUp } from './actual.ts';
import type { Desired, Unit } from './desired.ts';
import type { Target } from './plan-step.ts';

/**
 * Decision for a unit: keep it, start it again, or replace it by a new or a half-finished container. A replacement runs
 * in parallel with its predecessor until it takes over, or starts after the predecessor has stopped.
 */
export type UnitDecision = { unit: Unit; olds: readonly ActualContainer[] } & (
  | { decision: 'keep'; serving: ActualContainer }
  | { decision: 'start'; serving: ActualContainer }
  | { decision: 'adopt'; adopted: ActualContainer; beside: boolean }
  | { decision: 'create'; beside: boolean }
);

export function decide(unit: Unit, { units, deploymentId }: Desired, { containers }: Actual): UnitDecision {
  const own = containers.filter((container) => belongsTo(container, unit));
  const fits = (container: ActualContainer) =>
    container.config === unit.config && container.name === unit.spec.name && !container.altered;
  const serving = own.find((container) => !isNext(container) && fits(container));
  // Also replaces an undeclared container that has the name of this unit.
  const isDeclared = (container: ActualContainer) => units.some((other) => belongsTo(container, other));
  const olds = containers.filter(
    (container) =>
      !isNext(container) &&
      (belongsTo(container, unit) || (container.name === unit.spec.name && !isDeclared(container))),
  );
  if (serving) {
    if (unit.kind !== 'service' && hasCompleted(serving)) return { unit, olds, decision: 'keep', serving };
    if (unit.kind === 'service' && serving.state === 'running') return { unit, olds, decision: 'keep', serving };
    const canStart = ['created', 'exited', 'restarting'].includes(serving.state);
    if (unit.kind === 'service' && canStart) return { unit, olds, decision: 'start', serving };
  }
  // Adopt only containers of this deployment, so that either all of them take over or none.
  const adopted = own.find(
    (container) => isNext(container) && container.deployment === deploymentId && container.config === unit.config,
  );
  if (adopted && isUsable(unit, adopted))
    return { unit, olds, decision: 'adopt', adopted, beside: adopted.home !== undefined };
  // If no container serves the component's name, starting in parallel has no benefit.
  const responses = containers.some(
    (container) => !isNext(container) && isUp(container) && container.component === unit.component,
  );
  return { unit, olds, decision: 'create', beside: unit.beside && (responses || olds.some(isUp)) };
}

export function targetOf(decision: UnitDecision): Target {
  if (decision.decision === 'create') return { created: decision.unit };
  return { existing: decision.decision === 'adopt' ? decision.adopted : decision.serving };
}

export type Replacement = Extract<UnitDecision, { decision: 'create' | 'adopt' }>;

export function isReplacement(decision: UnitDecision): decision is Replacement {
  return decision.decision === 'create' || decision.decision === 'adopt';
}

export function isBeside(decision: UnitDecision): decision is Replacement {
  return isReplacement(decision) && decision.beside;
}

/** Answers whether a container stays but is disconnected from the instance's network. */
export function isCutOff(decision: UnitDecision, network: string): boolean {
  if (isReplacement(decision) || decision.unit.kind !== 'service' || decision.unit.aliases.length === 0) return false;
  return !decision.serving.networks.includes(network);
}

function hasCompleted({ state, exitCode, started }: ActualContainer): boolean {
  return state === 'exited' && exitCode === 0 && started;
}

/** A container that was only created may lack its files; a started one has them. */
function isUsable(unit: Unit, container: ActualContainer): boolean {
  return container.state === 'running' || (unit.kind !== 'service' && hasCompleted(container));
}
