import { isMapping } from '../../schema/schema-check.ts';
import { entriesOf } from './entries.ts';
import type { Notes } from './notes.ts';

const DEEPEST = 8;
const AS_MAPPING = new Set(['environment', 'labels', 'sysctls', 'extra_hosts']);

/** Resolves `extends` within the file; other files cannot be read. */
export function extended(services: Record<string, unknown>, notes: Notes): Record<string, unknown> {
  return Object.fromEntries(Object.entries(services).map(([name]) => [name, whole(name, 0)]));

  function whole(name: string, depth: number): unknown {
    const service = services[name];
    if (!isMapping(service) || service.extends === undefined) return service;
    const { extends: from, ...own } = service;
    const path = ['services', name, 'extends'];
    const base = isMapping(from) ? from.service : from;
    if (isMapping(from) && from.file !== undefined) {
      notes.refuse(path, `${String(from.file)} cannot be read here`);
      return own;
    }
    if (typeof base !== 'string' || !Object.hasOwn(services, base) || depth >= DEEPEST) {
      notes.drop(path, 'does not name a service of this file');
      return own;
    }
    const taken = whole(base, depth + 1);
    return isMapping(taken) ? merged(taken, own) : own;
  }
}

function merged(base: Record<string, unknown>, own: Record<string, unknown>): Record<string, unknown> {
  const result: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(own)) {
    const before = result[key];
    if (AS_MAPPING.has(key) && before !== undefined) {
      const pairs = [...entriesOf(before, []), ...entriesOf(value, [])].map(({ key: name, value: item }) => [
        name,
        item,
      ]);
      result[key] = Object.fromEntries(pairs);
    } else if (key !== 'command' && key !== 'entrypoint' && Array.isArray(before) && Array.isArray(value)) {
      result[key] = [...before, ...value];
    } else if (isMapping(before) && isMapping(value)) result[key] = merged(before, value);
    else result[key] = value;
  }
  return result;
}
