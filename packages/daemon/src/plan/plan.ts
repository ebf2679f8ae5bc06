import { type Actual, type ActualContainer, belongsTo, isNext, isUp, type Replaced } from './actual.ts';
import type { Desired, Unit } from './desired.ts';
import { finishInterrupted } from './finish.ts';
import { inOrder, type Plan, type PlanStep, type Target } from './plan-step.ts';
import { startConditions } from './start-conditions.ts';

/**
 * What to do so that the desired containers run. Nothing for a container that is there with the same configuration. A changed
 * one is created beside the old one; only when all are created is anything stopped; the old ones are removed, and the new ones
 * get their lasting names, when all are healthy. Volumes are only ever made.
 */
export function plan(desired: Desired, actual: Actual): Plan {
  const finish = finishInterrupted(actual);
  const fates = desired.units.map((unit) => fateOf(unit, desired, finish.actual));
  const finished = finish.steps.map(({ key }) => key);
  const resources = resourceSteps(desired, finish.actual);
  const discards = discardSteps(fates, finish.actual, finished);
  const creations = fates.flatMap((fate) =>
    creationSteps(fate, finished, resources, discards, replaced(fate.olds, finish.actual)),
  );
  const prepared = [...finished, ...[...discards, ...resources, ...creations].map(({ key }) => key)];
  const beginnings = beginningSteps(desired, fates, prepared);
  const proven = [...prepared, ...beginnings.map(({ key }) => key)];
  const endings = endingSteps(fates, finish.actual, proven);
  return { steps: inOrder([...finish.steps, ...discards, ...resources, ...creations, ...beginnings, ...endings]) };
}

/** What becomes of a unit: kept as it is, started again, or replaced by a container that is new or was left half-way. */
type Fate = { unit: Unit; olds: readonly ActualContainer[] } & (
  | { fate: 'keep'; serving: ActualContainer }
  | { fate: 'start'; serving: ActualContainer }
  | { fate: 'adopt'; adopted: ActualContainer }
  | { fate: 'create' }
);

function fateOf(unit: Unit, { units, deploymentId }: Desired, { containers }: Actual): Fate {
  const own = containers.filter((container) => belongsTo(container, unit));
  const serving = own.find((one) => !isNext(one) && one.config === unit.config && one.name === unit.spec.name);
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
  if (adopted && isUsable(unit, adopted)) return { unit, olds, fate: 'adopt', adopted };
  return { unit, olds, fate: 'create' };
}

function hasCompleted({ state, exitCode, started }: ActualContainer): boolean {
  return state === 'exited' && exitCode === 0 && started;
}

/** One that was only created may lack its files; one that was started has had them. */
function isUsable(unit: Unit, container: ActualContainer): boolean {
  return container.state === 'running' || (unit.kind !== 'service' && hasCompleted(container));
}

function resourceSteps({ network, volumes }: Desired, actual: Actual): PlanStep[] {
  const steps: PlanStep[] = [];
  if (network && !actual.networks.includes(network.name)) {
    steps.push({ key: 'network', after: [], step: 'network', network });
  }
  for (const volume of volumes) {
    if (actual.volumes.includes(volume.name)) continue;
    steps.push({ key: `volumes:${volume.name}`, after: [], step: 'volumes', volume });
  }
  return steps;
}

function discardSteps(fates: readonly Fate[], { containers }: Actual, after: readonly string[]): PlanStep[] {
  const adopted = new Set(fates.flatMap((fate) => (fate.fate === 'adopt' ? fate.adopted.id : [])));
  return containers
    .filter((one) => isNext(one) && !adopted.has(one.id))
    .map((container) => ({ key: `discard:${container.id}`, after, step: 'discard', container }));
}

function creationSteps(
  { unit, fate }: Fate,
  finished: readonly string[],
  resources: readonly PlanStep[],
  discards: readonly PlanStep[],
  replaces: readonly Replaced[],
): PlanStep[] {
  if (fate !== 'create') return [];
  const image = unit.spec.image;
  const created = `create:${unit.key}`;
  const needed = [`pull:${image}`, ...finished, ...[...resources, ...discards].map(({ key }) => key)];
  return [
    { key: `pull:${image}`, after: [], step: 'pull', image },
    { key: created, after: needed, step: 'create', unit, replaces },
    ...(unit.files.length === 0 ? [] : [{ key: `files:${unit.key}`, after: [created], step: 'files', unit } as const]),
  ];
}

/** An attempt that was cut off may have stopped an old container already; that it used to run must not be forgotten. */
function replaced(olds: readonly ActualContainer[], { containers }: Actual): Replaced[] {
  const stoppedByUs = new Set(
    containers.flatMap(({ replaces }) => replaces.filter((one) => one.running).map(({ id }) => id)),
  );
  return olds.map((old) => ({ id: old.id, running: isUp(old) || stoppedByUs.has(old.id) }));
}

function beginningSteps(desired: Desired, fates: readonly Fate[], prepared: readonly string[]): PlanStep[] {
  const conditions = startConditions(desired.units);
  return fates.flatMap((fate): PlanStep[] => {
    const { unit, olds } = fate;
    if (fate.fate === 'keep') return [];
    const after = [...prepared, ...conditions(unit)];
    const target = targetOf(fate);
    if (unit.kind !== 'service') {
      return [{ key: `${unit.kind}:${unit.key}`, after, step: unit.kind, unit, target }];
    }
    const [start, healthy] = [`start:${unit.key}`, `wait_healthy:${unit.key}`];
    const stops = fate.fate === 'start' ? [] : olds.filter(isUp).map((container) => stopping(container, after));
    const stopped = [...after, ...stops.map(({ key }) => key)];
    return [
      ...stops,
      ...(fate.fate === 'adopt' ? [] : [{ key: start, after: stopped, step: 'start', unit, target } as const]),
      { key: healthy, after: [...stopped, start], step: 'wait_healthy', unit, target },
    ];
  });
}

function targetOf(fate: Fate): Target {
  if (fate.fate === 'create') return { created: fate.unit };
  return { existing: fate.fate === 'adopt' ? fate.adopted : fate.serving };
}

/** Removals, then names, then what is no longer declared: `finishInterrupted` tells from this order how far it came. */
function endingSteps(fates: readonly Fate[], { containers }: Actual, proven: readonly string[]): PlanStep[] {
  const replacing = fates.filter(({ fate }) => fate === 'create' || fate === 'adopt');
  const removals = replacing.flatMap(({ olds }) => olds.map((old) => removal(old, proven)));
  const removed = [...proven, ...removals.map(({ key }) => key)];
  const switches = replacing.map((fate): PlanStep => {
    const name = fate.unit.spec.name;
    return { key: `switch:${fate.unit.key}`, after: removed, step: 'switch', target: targetOf(fate), name };
  });
  const switched = [...removed, ...switches.map(({ key }) => key)];
  const declared = new Set(fates.flatMap(({ olds }) => olds.map(({ id }) => id)));
  const undeclared = containers.filter((one) => !isNext(one) && !declared.has(one.id));
  const farewells = undeclared.flatMap((container): PlanStep[] => {
    const stop = isUp(container) ? [stopping(container, switched)] : [];
    return [...stop, removal(container, [...switched, ...stop.map(({ key }) => key)])];
  });
  return [...removals, ...switches, ...farewells];
}

function stopping(container: ActualContainer, after: readonly string[]): PlanStep {
  return { key: `stop_old:${container.id}`, after, step: 'stop_old', container };
}

function removal(container: ActualContainer, after: readonly string[]): PlanStep {
  return { key: `remove_old:${container.id}`, after, step: 'remove_old', container };
}
