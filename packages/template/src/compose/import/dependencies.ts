import { isMapping } from '../../schema/schema-check.ts';
import type { Path } from '../../source/finding.ts';
import { listOf } from './entries.ts';
import type { Reading } from './reading.ts';

type Condition = 'started' | 'healthy' | 'completed';

const CONDITIONS = new Map<string, Condition>([
  ['service_started', 'started'],
  ['service_healthy', 'healthy'],
  ['service_completed_successfully', 'completed'],
]);

export interface Dependency {
  /** Name of the service in the file. */
  service: string;
  condition: Condition;
  path: Path;
}

/** Reads `depends_on` in both forms, and the dependencies implied by `links`, `volumes_from` and shared networks. */
export function readDependencies(reading: Reading, service: Record<string, unknown>, path: Path): Dependency[] {
  const found = new Map<string, Dependency>();
  const add = (name: string, condition: Condition, at: Path, required = true) => {
    if (reading.components.has(name)) {
      if (!found.has(name)) found.set(name, { service: name, condition, path: at });
    } else if (required) reading.notes.drop(at, `there is no service ${name}`);
  };
  const declared = service.depends_on;
  const at = [...path, 'depends_on'];
  if (isMapping(declared)) {
    for (const [name, value] of Object.entries(declared)) {
      const declared = isMapping(value) ? value : {};
      const word = reading.settled(declared.condition ?? 'service_started', [...at, name]) ?? '';
      const condition = CONDITIONS.get(word);
      if (condition === undefined) reading.notes.drop([...at, name, 'condition'], `${word} is not a condition`);
      if (declared.restart === true) reading.notes.drop([...at, name, 'restart'], 'components restart independently');
      add(name, condition ?? 'started', [...at, name], declared.required !== false);
    }
  } else {
    for (const { item, path: place } of listOf(declared, at)) {
      // `- db: {condition: …}` mixes both forms, but its meaning is clear.
      if (isMapping(item)) {
        for (const [name, value] of Object.entries(item)) {
          const word = isMapping(value) ? String(value.condition ?? '') : '';
          add(name, CONDITIONS.get(word) ?? 'started', place);
        }
      } else add(reading.settled(item, place) ?? '', 'started', place);
    }
  }
  for (const { item, path: place } of listOf(service.links, [...path, 'links'])) {
    add((reading.settled(item, place) ?? '').split(':')[0] ?? '', 'started', place);
  }
  for (const { item, path: place } of listOf(service.volumes_from, [...path, 'volumes_from'])) {
    const [name = ''] = (reading.settled(item, place) ?? '').split(':');
    if (!name.startsWith('container')) add(name, 'started', place);
  }
  return [...found.values()];
}

/** Returns the aliases that `links` define, by service. */
export function linkedNames(services: Record<string, unknown>): Map<string, Set<string>> {
  const names = new Map<string, Set<string>>();
  for (const service of Object.values(services)) {
    if (!isMapping(service) || !Array.isArray(service.links)) continue;
    for (const link of service.links) {
      const [target = '', alias] = String(link).split(':');
      if (alias !== undefined) names.set(target, (names.get(target) ?? new Set()).add(alias));
    }
  }
  return names;
}
