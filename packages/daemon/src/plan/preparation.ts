import { type Actual, type ActualContainer, isNext, isUp, type Replaced } from './actual.ts';
import type { Desired } from './desired.ts';
import { type Fate, isBeside, isCutOff, targetOf } from './fates.ts';
import type { PlanStep, Target } from './plan-step.ts';

/** Steps that do not affect serving containers; all of them come before any stop. */
export function preparationSteps(
  desired: Desired,
  fates: readonly Fate[],
  actual: Actual,
  finished: readonly string[],
): PlanStep[] {
  const resources = resourceSteps(desired, fates, actual);
  const discards = discardSteps(fates, actual, finished);
  const ready = [...finished, ...[...resources, ...discards].map(({ key }) => key)];
  const creations = fates.flatMap((fate) => creationSteps(fate, desired, ready, replaced(fate.olds, actual)));
  return [
    ...discards,
    ...resources,
    ...creations,
    ...rejoinSteps(desired, fates, ready),
    ...joinHomeSteps(desired, fates, ready),
  ];
}

function resourceSteps({ network, home, links, volumes }: Desired, fates: readonly Fate[], actual: Actual): PlanStep[] {
  const needed = [...(network ? [network] : []), ...(fates.some(isBeside) ? [home] : [])];
  const missing = needed.filter(({ name }) => !actual.networks.includes(name));
  return [
    // Links are always repeated: the containers of the other instance may have been replaced.
    ...[...missing, ...links].map(
      (one): PlanStep => ({ key: `network:${one.name}`, after: [], step: 'network', network: one }),
    ),
    ...volumes
      .filter(({ name }) => !actual.volumes.includes(name))
      .map((volume): PlanStep => ({ key: `volumes:${volume.name}`, after: [], step: 'volumes', volume })),
  ];
}

/** Removes leftovers of an interrupted rollout; first switches routes back if they already lead to them. */
function discardSteps(fates: readonly Fate[], { containers, routes }: Actual, finished: readonly string[]): PlanStep[] {
  const adopted = new Set(fates.flatMap((fate) => (fate.fate === 'adopt' ? fate.adopted.id : [])));
  const left = containers.filter((one) => isNext(one) && !adopted.has(one.id));
  const ways = routes.map(({ containers: _, ...rule }) => {
    const former = containers.filter((one) => !isNext(one) && isUp(one) && one.component === rule.component);
    return { rule, targets: former.map((existing) => ({ existing })) };
  });
  const misled = routes.some((route) => route.containers.some((id) => left.some((one) => one.id === id)));
  const back: PlanStep[] = misled ? [{ key: 'route:back', after: finished, step: 'route', ways }] : [];
  const after = [...finished, ...back.map(({ key }) => key)];
  return [
    ...back,
    ...left.map((container): PlanStep => ({ key: `discard:${container.id}`, after, step: 'discard', container })),
  ];
}

function creationSteps(
  fate: Fate,
  { home }: Desired,
  ready: readonly string[],
  replaces: readonly Replaced[],
): PlanStep[] {
  if (fate.fate !== 'create') return [];
  const { unit } = fate;
  const image = unit.spec.image;
  const created = `create:${unit.key}`;
  const birthplace = fate.beside ? home.name : undefined;
  return [
    { key: `pull:${image}`, after: [], step: 'pull', image },
    { key: created, after: [`pull:${image}`, ...ready], step: 'create', unit, replaces, home: birthplace },
    ...(unit.files.length === 0 ? [] : [{ key: `files:${unit.key}`, after: [created], step: 'files', unit } as const]),
  ];
}

/** Reconnects containers that were disconnected from the instance's network, without a restart. */
function rejoinSteps({ network }: Desired, fates: readonly Fate[], after: readonly string[]): PlanStep[] {
  if (network === undefined) return [];
  return fates
    .filter((fate) => isCutOff(fate, network.name))
    .map((fate) => {
      const { unit } = fate;
      const key = `join:${network.name}:${unit.key}`;
      return { key, after, step: 'join', network: network.name, target: targetOf(fate), aliases: unit.aliases };
    });
}

/**
 * Connects other components to the network of new containers. A container that starts beside its predecessor must reach
 * the others by name, but must not have its own name yet. So it is created on a separate network that the others join
 * with their aliases. It stays there after the takeover, because leaving would break its connections.
 */
function joinHomeSteps({ home }: Desired, fates: readonly Fate[], ready: readonly string[]): PlanStep[] {
  const born = fates.filter(isBeside).map(({ unit }) => unit.component);
  const isNeeded = (component: string) => born.some((other) => other !== component);
  return fates.flatMap((fate): PlanStep[] => {
    const { unit } = fate;
    if (unit.kind !== 'service' || unit.aliases.length === 0 || !isNeeded(unit.component)) return [];
    const members: Target[] = isBeside(fate)
      ? fate.olds.filter(isUp).map((existing) => ({ existing }))
      : [targetOf(fate)];
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
    containers.flatMap(({ replaces }) => replaces.filter((one) => one.running).map(({ id }) => id)),
  );
  return olds.map((old) => ({ id: old.id, running: isUp(old) || stoppedByUs.has(old.id) }));
}
