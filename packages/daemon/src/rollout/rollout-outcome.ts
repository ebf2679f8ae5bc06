import type { ContainerFacts } from '../engine/container-facts.ts';
import { statusOf } from '../instances/container-status.ts';
import type { Reading } from '../instances/read-actual.ts';
import type { RolloutResult } from '../journal/rollout-result.ts';
import { belongsTo } from '../plan/actual.ts';
import type { Desired, Unit } from '../plan/desired.ts';

/**
 * Builds the result of a successful rollout from containers that were just checked and containers that were kept; asks
 * the engine nothing.
 */
export function describeSuccess(
  desired: Desired,
  before: Reading,
  ready: ReadonlyMap<string, ContainerFacts>,
): RolloutResult {
  const services = desired.units.filter(({ kind }) => kind === 'service');
  const factsOf = (unit: Unit): ContainerFacts | undefined => {
    const kept = before.actual.containers.find(
      (container) => belongsTo(container, unit) && container.config === unit.config,
    );
    return ready.get(unit.key) ?? (kept && before.facts.get(kept.id));
  };
  const parts = services.flatMap((unit) => {
    const facts = factsOf(unit);
    if (facts === undefined) return [];
    const health = unit.check ? ('healthy' as const) : ('unknown' as const);
    return [{ unit, facts, status: statusOf(facts), health }];
  });
  const primary = parts.find(({ unit }) => unit.primary) ?? parts[0];
  return {
    status: 'success',
    ...(primary && {
      instance: {
        container_id: primary.facts.id,
        container_name: primary.unit.spec.name,
        status: primary.status,
        health: primary.health,
        started_at: primary.facts.startedAt ?? null,
      },
    }),
    components: parts.map(({ unit, facts, status, health }) => ({
      name: unit.component,
      container_id: facts.id,
      status,
      health,
      image: facts.substitute ?? facts.image,
    })),
  };
}
