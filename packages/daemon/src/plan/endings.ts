import { type Actual, type ActualContainer, isNext, isUp } from './actual.ts';
import type { Desired } from './desired.ts';
import type { PlanStep, Target, Way } from './plan-step.ts';
import { type RouteRule, sameRoutes } from './routes.ts';
import { isBeside, isCutOff, isReplacement, targetOf, type UnitDecision } from './unit-decisions.ts';

/**
 * Steps after every new container is ready. Parallel containers get their aliases, routes switch to the new containers,
 * old ones finish their open requests and stop. Then come removals, final names and undeclared containers:
 * `finishInterrupted` infers from this order how far a rollout came.
 */
export function endingSteps(
  desired: Desired,
  decisions: readonly UnitDecision[],
  actual: Actual,
  proven: readonly string[],
): PlanStep[] {
  const takeovers = takeoverSteps(desired, decisions, actual, proven);
  const taken = [...proven, ...takeovers.map(({ key }) => key)];
  const replacing = decisions.filter(isReplacement);
  const removals = replacing.flatMap(({ olds }) => olds.map((old) => removal(old, taken)));
  const removed = [...taken, ...removals.map(({ key }) => key)];
  const switches = replacing.map((decision): PlanStep => {
    const name = decision.unit.spec.name;
    return { key: `switch:${decision.unit.key}`, after: removed, step: 'switch', target: targetOf(decision), name };
  });
  const switched = [...removed, ...switches.map(({ key }) => key)];
  const farewells = farewellSteps(decisions, actual, switched);
  const ended = [...switched, ...farewells.map(({ key }) => key)];
  return [...takeovers, ...removals, ...switches, ...farewells, ...dropSteps(desired, decisions, actual, ended)];
}

function takeoverSteps(
  { network, routes }: Desired,
  decisions: readonly UnitDecision[],
  actual: Actual,
  proven: readonly string[],
): PlanStep[] {
  const beside = decisions.filter(isBeside);
  const joins = beside.flatMap((decision): PlanStep[] => {
    const { unit } = decision;
    const target = targetOf(decision);
    const isThere = 'existing' in target && network && target.existing.networks.includes(network.name);
    if (network === undefined || unit.aliases.length === 0 || isThere) return [];
    const key = `join:${network.name}:${unit.key}`;
    return [{ key, after: proven, step: 'join', network: network.name, target, aliases: unit.aliases }];
  });
  const named = [...proven, ...joins.map(({ key }) => key)];
  const ways = routes.map((rule): Way => {
    const leadsTo = decisions.filter(({ unit }) => unit.component === rule.component && unit.kind === 'service');
    return { rule, targets: leadsTo.map(targetOf) };
  });
  // A container that rejoins its network may get another address there.
  const moved = network !== undefined && decisions.some((decision) => isCutOff(decision, network.name));
  const asIs = isAsIs(ways, actual) && !(moved && ways.length > 0);
  const route: PlanStep[] = asIs ? [] : [{ key: 'route', after: named, step: 'route', ways }];
  const routed = [...named, ...route.map(({ key }) => key)];
  const rules = [...routes, ...actual.routes];
  const stops = beside.flatMap(({ olds }) =>
    olds.filter(isUp).flatMap((old): PlanStep[] => {
      const drain = drainSteps(old, rules, routed);
      return [...drain, stopping(old, [...routed, ...drain.map(({ key }) => key)])];
    }),
  );
  return [...joins, ...route, ...stops];
}

/** Drains a container on the ports that routes use. */
export function drainSteps(
  container: ActualContainer,
  rules: readonly RouteRule[],
  after: readonly string[],
): PlanStep[] {
  const ports = [...new Set(rules.filter((rule) => rule.component === container.component).map(({ port }) => port))];
  return ports.length === 0 ? [] : [{ key: `drain:${container.id}`, after, step: 'drain', container, ports }];
}

export function isAsIs(ways: readonly Way[], { routes }: Actual): boolean {
  const idOf = (target: Target) => ('existing' in target ? [target.existing.id] : []);
  const leadsToExisting = ways.every(({ targets }) => targets.every((target) => 'existing' in target));
  const wanted = ways.map(({ rule, targets }) => ({ ...rule, containers: targets.flatMap(idOf) }));
  return leadsToExisting && sameRoutes(wanted, routes);
}

function farewellSteps(
  decisions: readonly UnitDecision[],
  { containers }: Actual,
  after: readonly string[],
): PlanStep[] {
  // A replaced container is removed with its replacement; any other undeclared one is removed here.
  const declared = new Set(
    decisions.flatMap((decision) =>
      isReplacement(decision) ? decision.olds.map(({ id }) => id) : [decision.serving.id],
    ),
  );
  const undeclared = containers.filter((container) => !isNext(container) && !declared.has(container.id));
  return undeclared.flatMap((container): PlanStep[] => {
    const stop = isUp(container) ? [stopping(container, after)] : [];
    return [...stop, removal(container, [...after, ...stop.map(({ key }) => key)])];
  });
}

/** Drops networks that no remaining container was created on. */
function dropSteps(
  { network, home, links }: Desired,
  decisions: readonly UnitDecision[],
  { networks }: Actual,
  after: readonly string[],
): PlanStep[] {
  const staying = decisions.flatMap((decision) => {
    if (isBeside(decision)) return [home.name];
    return decision.decision === 'keep' || decision.decision === 'start' ? [decision.serving.home] : [];
  });
  const kept = new Set([network?.name, ...links.map(({ name }) => name), ...staying]);
  return networks.filter((name) => !kept.has(name)).map((name) => dropping(name, after));
}

export function dropping(network: string, after: readonly string[]): PlanStep {
  return { key: `drop_network:${network}`, after, step: 'drop_network', network };
}

export function stopping(container: ActualContainer, after: readonly string[]): PlanStep {
  return { key: `stop_old:${container.id}`, after, step: 'stop_old', container };
}

function removal(container: ActualContainer, after: readonly string[]): PlanStep {
  return { key: `remove_old:${container.id}`, after, step: 'remove_old', container };
}
