import { label } from '../plan/labels.ts';
import type { Attempt } from './attempt.ts';
import type { SwarmActual } from './swarm-plan.ts';

/** Finds an irreversible job of this deployment that has begun: the previous version may not be able to read its data. */
export function irreversibleJob(
  { services, rollout }: Pick<Attempt, 'services' | 'rollout'>,
  actual: SwarmActual,
): string | undefined {
  const begun = (name: string) => {
    const job = actual.services.find((service) => service.name === name);
    if (job?.labels[label.deployment] !== rollout.deploymentId) return false;
    return actual.jobTasks.some((task) => task.service === job.id && task.containerId !== '');
  };
  return services.find(({ unit }) => unit.irreversible && begun(unit.spec.name))?.unit.component;
}
