import type { Component } from '@hortus/contract/template/component';
import { isMapping } from '../../schema/schema-check.ts';
import { type Dependency, linkedNames, readDependencies } from './dependencies.ts';
import { readNetworks } from './networks.ts';
import type { Reading } from './reading.ts';
import { readService } from './service.ts';

const ALIAS = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}$/;

/** Reads all services as components and connects them. */
export function readComponents(reading: Reading, services: Record<string, unknown>): Record<string, Component> {
  const components: Record<string, Component> = {};
  const dependencies = new Map<string, Dependency[]>();
  for (const [name, service] of Object.entries(services)) {
    const component = reading.components.get(name);
    if (component === undefined || !isMapping(service)) continue;
    components[component] = readService(reading, name, service);
    dependencies.set(component, readDependencies(reading, service, ['services', name]));
  }
  addJobs(reading, services, components, dependencies);
  noteRestarts(reading, components);
  for (const [component, wanted] of dependencies) addDependencies(reading, components, component, wanted);
  addAliases(reading, services, components);
  shareMounts(reading, services, components);
  return components;
}

/**
 * Marks jobs: services that others wait for to complete, and services that run once and are exempt from health checks.
 */
function addJobs(
  reading: Reading,
  services: Record<string, unknown>,
  components: Record<string, Component>,
  dependencies: Map<string, Dependency[]>,
): void {
  const all = [...dependencies.values()].flat();
  for (const [name, service] of Object.entries(services)) {
    const component = components[reading.components.get(name) ?? ''];
    if (component === undefined || !isMapping(service)) continue;
    const path = ['services', name];
    const waited = all.filter((dependency) => dependency.service === name);
    const completes = waited.some(({ condition }) => condition === 'completed');
    const exempt = service.exclude_from_hc === true;
    if (!completes && !(exempt && component.restart === 'no')) {
      if (exempt && component.healthcheck !== undefined) {
        reading.notes.drop([...path, 'exclude_from_hc'], 'the health check of a component always counts');
      }
      continue;
    }
    component.kind = 'job';
    if (!completes && waited.length === 0) component.run = 'after_start';
    reading.notes.infer(
      path,
      completes ? 'it is a job, because others wait for it to complete' : 'it is a job, because it runs once',
    );
    if (component.healthcheck !== undefined) {
      delete component.healthcheck;
      reading.notes.drop([...path, 'healthcheck'], 'a job has no health check; it is done when it ends');
    }
    if (component.restart === 'always' || component.restart === 'unless-stopped') {
      reading.notes.drop([...path, 'restart'], `a job with restart: ${component.restart} would never end`);
      delete component.restart;
    }
  }
}

/** Compose restarts nothing unless it is told to; a template restarts services. */
function noteRestarts(reading: Reading, components: Record<string, Component>): void {
  for (const [service, name] of reading.components) {
    const component = components[name];
    if (component === undefined || component.kind === 'job' || component.restart !== undefined) continue;
    reading.notes.infer(['services', service], 'it is restarted unless it was stopped; Compose would not restart it');
  }
}

function addDependencies(
  reading: Reading,
  components: Record<string, Component>,
  name: string,
  wanted: readonly Dependency[],
): void {
  const depends: NonNullable<Component['depends_on']> = {};
  for (const { service, condition, path } of wanted) {
    const other = reading.components.get(service) ?? service;
    const target = components[other];
    if (target === undefined || other === name) continue;
    if (target.kind === 'job') depends[other] = condition === 'started' ? 'started' : 'completed';
    else if (condition === 'healthy' && (target.healthcheck === undefined || target.healthcheck.disabled)) {
      reading.notes.drop(
        path,
        `${service} has no health check in this file, so the dependency waits only for its start`,
      );
      depends[other] = 'started';
    } else depends[other] = condition;
  }
  if (Object.keys(depends).length > 0) (components[name] as Component).depends_on = depends;
}

/** Services reach each other by their names in the file, so the components keep these names as aliases. */
function addAliases(reading: Reading, services: Record<string, unknown>, components: Record<string, Component>): void {
  const networks = readNetworks(reading, services);
  const linked = linkedNames(services);
  if (Object.keys(components).length < 2) return;
  for (const [name, service] of Object.entries(services)) {
    const component = components[reading.components.get(name) ?? ''];
    if (component === undefined || !isMapping(service) || component.network === 'host') continue;
    const container = reading.settled(service.container_name, ['services', name, 'container_name']);
    const names = [name, container, ...(networks.get(name) ?? []), ...(linked.get(name) ?? [])];
    const aliases = [...new Set(names)].filter((alias) => alias !== undefined && ALIAS.test(alias)) as string[];
    if (aliases.length > 0) component.aliases = aliases.slice(0, 20);
  }
}

/** Marks volumes that several components mount as shared; `volumes_from` copies the mounts of another service. */
function shareMounts(reading: Reading, services: Record<string, unknown>, components: Record<string, Component>): void {
  for (const [name, service] of Object.entries(services)) {
    if (!isMapping(service) || !Array.isArray(service.volumes_from)) continue;
    const component = components[reading.components.get(name) ?? ''];
    for (const [index, input] of service.volumes_from.entries()) {
      const [from = '', mode] = String(input).split(':');
      const source = components[reading.components.get(from) ?? ''];
      if (component === undefined || source === undefined) {
        reading.notes.refuse(['services', name, 'volumes_from', index], `there is no service ${from} in this file`);
        continue;
      }
      const taken = new Set((component.storage ?? []).map(({ mount_path }) => mount_path));
      const copied = (source.storage ?? []).filter(({ mount_path }) => !taken.has(mount_path));
      component.storage = [
        ...(component.storage ?? []),
        ...copied.map((mount) => ({ ...mount, ...(mode === 'ro' ? { read_only: true } : {}) })),
      ];
      for (const { host_path } of copied) if (host_path) copyPermission(reading, from, name);
    }
  }
  const uses = new Map<string, number>();
  const mounts = Object.values(components).flatMap(({ storage = [] }) =>
    storage.filter(({ host_path }) => host_path === undefined),
  );
  for (const { name } of mounts) uses.set(name, (uses.get(name) ?? 0) + 1);
  for (const mount of mounts) if ((uses.get(mount.name) ?? 0) > 1) mount.shared = true;
}

function copyPermission(reading: Reading, from: string, to: string): void {
  const [source, target] = [reading.components.get(from), reading.components.get(to)];
  for (const { kind, component, value } of [...reading.permissions]) {
    if (component === source && target !== undefined && /host_path|docker_socket|host_root/.test(kind)) {
      reading.permit(kind, target, value, `mounts what ${from} mounts`);
    }
  }
}
