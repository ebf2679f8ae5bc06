import type { Canonical } from '@hortus/template/canonical/canonical-form';
import { primaryComponent } from '@hortus/template/canonical/primary';
import { startOrder } from '@hortus/template/canonical/start-order';
import type { NamedRow } from '../instances/public.ts';

interface Synced {
  readonly name: string;
  readonly container_id: string | null;
  readonly container_name?: string | null;
}

const syncedOf = ({ components }: NamedRow): Synced[] => JSON.parse(components) as Synced[];

/**
 * Returns the name or id of a component's container: the synced name, the instance's name for the primary component, the
 * synced id, or else the name by the rule of hortusd.
 */
export const containerOf = (spec: Canonical, instance: NamedRow, component: string): string =>
  containerIn(
    spec,
    instance,
    component,
    syncedOf(instance).find(({ name }) => name === component),
  );

function containerIn(spec: Canonical, instance: NamedRow, component: string, synced: Synced | undefined): string {
  if (synced?.container_name) return synced.container_name;
  if (component === primaryComponent(spec)?.[0]) return instance.container_name;
  return synced?.container_id ?? `${instance.container_name}-${component}`;
}

/** Lists the containers of an instance, dependencies first, and synced ones of components that the template does not have. */
export function containersOf(spec: Canonical, instance: NamedRow): string[] {
  const synced = syncedOf(instance);
  const services = startOrder(spec.components).filter((name) => spec.components[name]?.kind === 'service');
  const known = new Map(synced.map((component) => [component.name, component]));
  const declared = services.map((name) => containerIn(spec, instance, name, known.get(name)));
  const others = synced
    .filter(({ name }) => spec.components[name] === undefined)
    .flatMap(({ container_name, container_id }) => container_name ?? container_id ?? []);
  return [...new Set([...declared, ...others])];
}
