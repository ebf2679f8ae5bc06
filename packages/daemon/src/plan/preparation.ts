import { type Actual, type ActualContainer, isNext, isUp, type Replaced } from './actual.ts';
import type { Desired } from './desired.ts';
import type { PlanStep, Target } from './plan-step.ts';
import { isBeside, isCutOff, targetOf, type UnitDecision } from './unit-decisions.ts';

/** Steps that do not affect serving containers; all of them come before any stop. */
export function preparationSteps(
  desired: Desired,
  decisions: readonly UnitDecision[],
  actual: Actual,
  finished: readonly string[],
): PlanStep[] {
  const resources = resourceSteps(desired, decisions, actual);
  const discards = discardSteps(decisions, actual, finished);
  const ready = [...finished, ...[...resources, ...discards].map(({ key }) => key)];
  const creations = decisions.flatMap((decision) =>
    creationSteps(decision, desired, ready, replaced(decision.olds, actual)),
  );
  return [
    ...discards,
    ...resources,
    ...creations,
    ...rejoinSteps(desired, decisions, ready),
    ...joinHomeSteps(desired, decisions, ready),
  ];
}

function resourceSteps(
  { network, home, links, volumes }: Desired,
  decisions: readonly UnitDecision[],
  actual: Actual,
): PlanStep[] {
  const needed = [...(network ? [network] : []), ...(decisions.some(isBeside) ? [home] : [])];
  const missing = needed.filter(({ name }) => !actual.networks.includes(name));
  return [
    // Links are always repeated: the containers of the other instance may have been replaced.
    ...[...missing, ...links].map(
      (network): PlanStep => ({ key: `network:${network.name}`, after: [], step: 'network', network }),
    ),
    ...volumes
      .filter(({ name }) => !actual.volumes.includes(name))
      .map((volume): PlanStep => ({ key: `volumes:${volume.name}`, after: [], step: 'volumes', volume })),
  ];
}

/** Removes leftovers of an interrupted rollout; first switches routes back if they already lead to them. */
function discardSteps(
  decisions: readonly UnitDecision[],
  { containers, routes }: Actual,
  finished: readonly string[],
): PlanStep[] {
  const adopted = new Set(decisions.flatMap((decision) => (decision.decision === 'adopt' ? decision.adopted.id : [])));
  const left = containers.filter((container) => isNext(container) && !adopted.has(container.id));
  const ways = routes.map(({ containers: _, ...rule }) => {
    const former = containers.filter(
      (container) => !isNext(container) && isUp(container) && container.component === rule.component,
    );
    return { rule, targets: former.map((existing) => ({ existing })) };
  });
  const misled = routes.some((route) => route.containers.some((id) => left.some((container) => container.id === id)));
  const back: PlanStep[] = misled ? [{ key: 'route:back', after: finished, step: 'route', ways }] : [];
  const after = [...finished, ...back.map(({ key }) => key)];
  return [
    ...back,
    ...left.map((container): PlanStep => ({ key: `discard:${container.id}`, after, step: 'discard', container })),
  ];
}

function creationSteps(
  decision: UnitDecision,
  { home }: Desired,
  ready: readonly string[],
  replaces: readonly Replaced[],
): PlanStep[] {
  if (decision.decision !== 'create') return [];
  const { unit } = decision;
  const image = unit.spec.image;
  const created = `create:${unit.key}`;
  const birthplace = decision.beside ? home.name : undefined;
  return [
    { key: `pull:${image}`, after: [], step: 'pull', image },
    { key: created, after: [`pull:${image}`, ...ready], step: 'create', unit, replaces, home: birthplace },
    ...(unit.files.length === 0 ? [] : [{ key: `files:${unit.key}`, after: [created], step: 'files', unit } as const]),
  ];
}

/** Reconnects containers that were disconnected from the instance's network, without a restart. */
function rejoinSteps({ network }: Desired, decisions: readonly UnitDecision[], after: readonly string[]): PlanStep[] {
  if (network === undefined) return [];
  return decisions
    .filter((decision) => isCutOff(decision, network.name))
    .map((decision) => {
      const { unit } = decision;
      const key = `join:${network.name}:${unit.key}`;
      return { key, after, step: 'join', network: network.name, target: targetOf(decision), aliases: unit.aliases };
    });
}

/**
 * Connects other components to the network of new containers. A container that starts beside its predecessor must reach
 * the others by name, but must not have its own name yet. So it is created on a separate network that the others join
 * with their aliases. It stays there after the takeover, because leaving would break its connections.
 */
function joinHomeSteps({ home }: Desired, decisions: readonly UnitDecision[], ready: readonly string[]): PlanStep[] {
  const born = decisions.filter(isBeside).map(({ unit }) => unit.component);
  const isNeeded = (component: string) => born.some((other) => other !== component);
  return decisions.flatMap((decision): PlanStep[] => {
    const { unit } = decision;
    if (unit.kind !== 'service' || unit.aliases.length === 0 || !isNeeded(unit.component)) return [];
    const members: Target[] = isBeside(decision)
      ? decision.olds.filter(isUp).map((existing) => ({ existing }))
      : [targetOf(decision)];
    return members
      .filter((member) => !('existing' in member && member.existing.networks.includes(home.name)))
      .map((target) => ({
        key: `join:${home.name}:${'existing' in target ? target.existing.id : unit.key}`,
        after: [...ready, `create:${unit.key}`],
        step: 'join',
        network: home.name,
        target,
        aliases: unit.aliases,
      }));
  });
}

/** Keeps track of old containers that an interrupted attempt stopped: they used to run. */
function replaced(olds: readonly ActualContainer[], { containers }: Actual): Replaced[] {
  const stoppedByUs = new Set(
    containers.flatMap(({ replaces }) => replaces.filter((replace) => replace.running).map(({ id }) => id)),
  );
  return olds.map((old) => ({ id: old.id, running: isUp(old) || stoppedByUs.has(old.id) }));
}
