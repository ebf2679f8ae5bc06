import type { Engine } from '../engine/engine.ts';
import type { Reading } from '../instances/read-actual.ts';
import { belongsTo } from '../plan/actual.ts';
import type { Desired } from '../plan/desired.ts';
import { networkName } from '../plan/names.ts';
import { containerDrift } from './container-drift.ts';
import { imagesOf } from './images.ts';

/**
 * Marks containers that were altered since their creation, so that a rollout replaces them. A container that only left
 * the instance's network is reconnected instead, without downtime.
 */
export async function withAlterations(
  engine: Pick<Engine, 'image' | 'info'>,
  desired: Desired,
  reading: Reading,
): Promise<Reading> {
  const { actual, facts } = reading;
  const claimed = actual.containers.flatMap((container) => {
    const unit = desired.units.find((unit) => unit.kind === 'service' && belongsTo(container, unit));
    const own = facts.get(container.id);
    return unit && own && container.config === unit.config ? [{ container, unit, own }] : [];
  });
  if (claimed.length === 0) return reading;
  const [{ cpus, limitsPids }, images] = await Promise.all([
    engine.info(),
    imagesOf(
      engine,
      claimed.map(({ own }) => own.imageId),
    ),
  ]);
  const { instanceUid } = desired;
  const rejoined = `networks.${networkName(instanceUid)}`;
  const altered = claimed.filter(({ unit, own }) => {
    const surroundings = { instanceUid, cpus, limitsPids, image: images.get(own.imageId), digest: undefined };
    const isOff = (drift: { field: string; actual: unknown }) => drift.field === rejoined && drift.actual === null;
    // The planner compares names itself.
    return containerDrift(unit, own, surroundings).some((drift) => drift.field !== 'name' && !isOff(drift));
  });
  const ids = new Set(altered.map(({ container }) => container.id));
  const containers = actual.containers.map((container) =>
    ids.has(container.id) ? { ...container, altered: true } : container,
  );
  return { facts, actual: { ...actual, containers } };
}
