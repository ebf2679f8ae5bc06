import { type Actual, type ActualContainer, isNext, isUp } from './actual.ts';
import type { Desired } from './desired.ts';
import { drainSteps, dropping, isAsIs, stopping } from './endings.ts';
import { finishInterrupted } from './finish.ts';
import { plan } from './plan.ts';
import { inOrder, type Plan, type PlanStep } from './plan-step.ts';
import type { RouteRule } from './routes.ts';

export type Recovery =
  /** Restores the previous state. */
  | { direction: 'back'; plan: Plan }
  /** Completes the rollout: old containers are partly gone, and the new ones were healthy. */
  | { direction: 'forward'; plan: Plan }
  /** Neither: a job changed data in a way that the old version cannot read. */
  | { direction: 'none'; irreversibleJob: string };

/**
 * Plans the recovery of a rollout that failed between `before` and `actual`. `former` are the routes of the previous
 * version.
 */
export function recoveryPlan(desired: Desired, before: Actual, actual: Actual, former: readonly RouteRule[]): Recovery {
  if (isPastReturn(desired, before, actual)) return { direction: 'forward', plan: plan(desired, actual) };
  const irreversible = desired.units.find(
    (unit) =>
      unit.irreversible &&
      actual.containers.some(
        (container) => isNext(container) && container.started && container.component === unit.component,
      ),
  );
  if (irreversible) return { direction: 'none', irreversibleJob: irreversible.component };
  return { direction: 'back', plan: wayBack(desired, before, actual, former) };
}

const afterwards = ['stop_old', 'remove_old', 'drop_network'];

function isPastReturn(desired: Desired, before: Actual, actual: Actual): boolean {
  if (finishInterrupted(actual).steps.length > 0) return true;
  const present = new Set(actual.containers.map(({ id }) => id));
  if (before.containers.some((container) => !isNext(container) && !present.has(container.id))) return true;
  // Only the removal of undeclared containers is left.
  return plan(desired, actual).steps.every(({ step }) => afterwards.includes(step));
}

/** First removes new containers that block the old ones; parallel ones serve until the old ones do. */
function wayBack({ network }: Desired, before: Actual, actual: Actual, former: readonly RouteRule[]): Plan {
  const nexts = actual.containers.filter(isNext);
  const lasting = actual.containers.filter((container) => !isNext(container));
  const discards = nexts.filter((next) => next.home === undefined).map((next) => discarding(next, []));
  // A new container may hold a port or an alias that the old one needs.
  const after = discards.map(({ key }) => key);
  const restored = lasting.flatMap((container): PlanStep[] => {
    const served = shouldServe(container, before);
    if (served && !isUp(container)) return [{ key: `start_old:${container.id}`, after, step: 'start_old', container }];
    if (!served && isUp(container)) return [stopping(container, after)];
    return [];
  });
  const serving = [...after, ...restored.map(({ key }) => key)];
  const ways = former.map((rule) => {
    const leadsTo = lasting.filter(
      (container) => container.component === rule.component && shouldServe(container, before),
    );
    return { rule, targets: leadsTo.map((existing) => ({ existing })) };
  });
  const route: PlanStep[] = isAsIs(ways, actual) ? [] : [{ key: 'route', after: serving, step: 'route', ways }];
  const routed = [...serving, ...route.map(({ key }) => key)];
  const retreats = nexts
    .filter((next) => next.home !== undefined)
    .flatMap((next): PlanStep[] => {
      const isAsked = actual.routes.some(({ containers }) => containers.includes(next.id));
      const drain = isAsked ? drainSteps(next, actual.routes, routed) : [];
      return [...drain, discarding(next, [...routed, ...drain.map(({ key }) => key)])];
    });
  const left = [...routed, ...retreats.map(({ key }) => key)];
  // After a failed first deployment only volumes remain.
  const kept = new Set(lasting.length === 0 ? [] : [network?.name, ...lasting.map(({ home }) => home)]);
  const drops = actual.networks.filter((name) => !kept.has(name)).map((name) => dropping(name, left));
  return { steps: inOrder([...discards, ...restored, ...route, ...retreats, ...drops]) };
}

function discarding(container: ActualContainer, after: readonly string[]): PlanStep {
  return { key: `discard:${container.id}`, after, step: 'discard', container };
}

/** Answers whether it ran before, or was stopped by an interrupted attempt to replace it. */
function shouldServe({ id }: ActualContainer, before: Actual): boolean {
  return before.containers.some(
    (container) =>
      (container.id === id && isUp(container)) ||
      container.replaces.some((replaced) => replaced.id === id && replaced.running),
  );
}
