import type { Component } from '@hortus/contract/template/component';
import type { Route } from '@hortus/contract/template/routes';
import { STANDARD_PROFILES } from '@hortus/contract/template/schema';
import { isMapping } from '../../schema/schema-check.ts';
import { listOf } from './entries.ts';
import type { Reading } from './reading.ts';

/**
 * A service with `profiles` runs only if one of them is chosen. In a template, profiles remove components instead: the
 * standard ones remove all such services, and each profile of the file removes the services of the others.
 */
export function readProfiles(
  reading: Reading,
  services: Record<string, unknown>,
  components: Record<string, Component>,
  routes: readonly Route[],
): Record<string, Record<string, unknown>> {
  const membership = new Map<string, string[]>();
  for (const [name, service] of Object.entries(services)) {
    const component = reading.components.get(name);
    if (component === undefined || !isMapping(service) || !Array.isArray(service.profiles)) continue;
    const names = listOf(service.profiles, []).map(({ item }) =>
      String(item)
        .toLowerCase()
        .replace(/[^a-z0-9_-]+/g, '-'),
    );
    if (names.length > 0)
      membership.set(
        component,
        names.filter((name) => /^[a-z]/.test(name)),
      );
  }
  if (membership.size === 0) return {};
  if (membership.size === Object.keys(components).length) {
    reading.notes.drop(['services'], 'every service belongs to a profile, so all of them run');
    return {};
  }
  const profiles: Record<string, Record<string, unknown>> = {};
  for (const profile of new Set([...STANDARD_PROFILES, ...[...membership.values()].flat()])) {
    const gone = [...membership].filter(([, names]) => !names.includes(profile)).map(([component]) => component);
    if (gone.length > 0) profiles[profile] = without(gone, components, routes);
  }
  return profiles;
}

function without(
  gone: readonly string[],
  components: Record<string, Component>,
  routes: readonly Route[],
): Record<string, unknown> {
  const patch: Record<string, unknown> = Object.fromEntries(gone.map((name) => [name, null]));
  for (const [name, { depends_on = {} }] of Object.entries(components)) {
    const lost = gone.filter((other) => Object.hasOwn(depends_on, other));
    if (lost.length > 0 && !gone.includes(name))
      patch[name] = { depends_on: Object.fromEntries(lost.map((other) => [other, null])) };
  }
  const left = routes.filter(({ component }) => !gone.includes(component ?? ''));
  const volumes = criticalVolumes(
    Object.fromEntries(Object.entries(components).filter(([name]) => !gone.includes(name))),
  );
  const fewer = volumes.length < criticalVolumes(components).length;
  return {
    components: patch,
    ...(left.length < routes.length ? { routes: left } : {}),
    ...(fewer ? { backup: volumes.length > 0 ? { volumes } : { strategy: 'none', volumes } } : {}),
  };
}

/** Returns the volumes that a backup must contain: the named volumes of the file. */
export function criticalVolumes(components: Record<string, Component>): { name: string; critical: true }[] {
  const mounts = Object.values(components).flatMap(({ storage = [] }) => storage.filter(({ critical }) => critical));
  return [...new Set(mounts.map(({ name }) => name))].map((name) => ({ name, critical: true }));
}
