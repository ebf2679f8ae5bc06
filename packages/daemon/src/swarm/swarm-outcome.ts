import type { Cluster, TaskFacts } from '../engine/cluster.ts';
import type { Engine } from '../engine/engine.ts';
import type { RolloutResult } from '../journal/rollout-result.ts';
import { digestsOf } from '../pull/digests.ts';
import type { Attempt } from './attempt.ts';

/** Builds the result of a successful rollout from the tasks that run. */
export async function describeServices(
  { services, desired, rollout }: Attempt,
  cluster: Cluster,
  engine: Engine,
  gapMs: number | undefined,
): Promise<RolloutResult> {
  const running = services.filter(({ unit }) => unit.kind === 'service');
  const found = await Promise.all(running.map(({ spec }) => cluster.tasks({ service: spec.container.name })));
  const parts = running.flatMap((service, index) => {
    const tasks = (found[index] ?? []).filter(({ state, desired }) => state === 'running' && desired === 'running');
    const health = service.unit.check ? ('healthy' as const) : ('unknown' as const);
    return tasks.map((task) => ({ unit: service.unit, task, health }));
  });
  const primary = parts.find(({ unit }) => unit.primary) ?? parts[0];
  const images = rollout.manifest.components.map(({ name: component, image }) => {
    return { component, image, id: undefined, substitute: engine.substituteFor(image) };
  });
  return {
    status: 'success',
    ...(primary && {
      instance: {
        container_id: idOf(primary.task),
        container_name: desired.instanceUid,
        status: 'running',
        health: primary.health,
        started_at: primary.task.at,
      },
    }),
    components: parts.map(({ unit, task, health }) => ({
      name: unit.component,
      container_id: idOf(task),
      status: 'running',
      health,
      image: unit.spec.image,
    })),
    images: await digestsOf(engine, images),
    ...(gapMs === undefined ? {} : { gap_ms: gapMs }),
  };
}

const idOf = ({ containerId, id }: TaskFacts): string => containerId || id;
