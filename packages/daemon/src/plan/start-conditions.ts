import type { Unit } from './desired.ts';

/**
 * Returns the keys of steps that must succeed before a unit starts: its dependencies in the declared condition; for
 * services that no job needs, every before-start job; for after-start jobs, every service.
 */
export function startConditions(units: readonly Unit[]): (unit: Unit) => string[] {
  const of = (component: string) => units.filter((unit) => unit.component === component);
  const jobs = units.filter(({ kind }) => kind === 'before_start_job');
  const services = units.filter(({ kind }) => kind === 'service');
  const neededByJobs = new Set<string>();
  const need = (unit: Unit) => {
    for (const component of Object.keys(unit.dependsOn)) {
      if (neededByJobs.has(component)) continue;
      neededByJobs.add(component);
      of(component).forEach(need);
    }
  };
  jobs.forEach(need);
  return (unit) => [
    ...Object.entries(unit.dependsOn).flatMap(([component, condition]) =>
      of(component).map((other) => fulfilment(other, condition)),
    ),
    ...(unit.kind === 'service' && !neededByJobs.has(unit.component) ? jobs.map((job) => fulfilment(job)) : []),
    ...(unit.kind === 'after_start_job' ? services.map((service) => fulfilment(service)) : []),
  ];
}

function fulfilment(unit: Unit, condition?: 'started' | 'healthy' | 'completed'): string {
  if (unit.kind !== 'service') return `${unit.kind}:${unit.key}`;
  return condition === 'started' ? `start:${unit.key}` : `wait_healthy:${unit.key}`;
}
