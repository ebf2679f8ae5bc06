import type { ComposeImport } from '@hortus/template/compose/import/import-compose';
import type { Service } from './import-reading.ts';

/** Ports that never speak HTTP, as an operator knows them; shares nothing with the importer's own list. */
const RAW = new Set([
  22, 25, 53, 110, 143, 389, 465, 587, 636, 993, 995, 1433, 1521, 1883, 3306, 3478, 5432, 5672, 6379, 8883, 9092, 11211,
  19132, 25565, 27017, 51820, 64738,
]);

/**
 * Tells whether what was imported can be reached: by a route, a port of the server or its network. A file that no person opens,
 * such as a worker, needs none of them; a file with an unanswered question does.
 */
export function isReachable({ template, questions }: ComposeImport, original: ReadonlyMap<string, Service>): boolean {
  if (template === undefined) return false;
  const components = Object.values(template.components ?? {});
  const isOpen = components.some(
    ({ network, ports = [] }) => network === 'host' || ports.some(({ host_port }) => host_port !== undefined),
  );
  if (isOpen || (template.routes ?? []).length > 0) return true;
  return questions.length === 0 && [...original.values()].every(({ ports }) => ports.length === 0);
}

/** Lists routes to ports that do not speak HTTP: behind such a route nothing answers. */
export function wrongRoutes({ template }: ComposeImport, original: ReadonlyMap<string, Service>): string[] {
  const raw = new Set<string>();
  for (const [name, { ports }] of original) {
    for (const { container, protocol } of ports) {
      if (RAW.has(container) || protocol === 'udp') raw.add(`${name}:${container}`);
    }
  }
  const nameOf = (component: string) =>
    template?.components?.[component]?.aliases?.find((alias) => original.has(alias)) ?? component;
  return (template?.routes ?? [])
    .filter(({ component = 'main', port }) => raw.has(`${nameOf(component)}:${port}`))
    .map(({ component, port }) => `the route to port ${port} of ${component} leads to no web server`);
}
