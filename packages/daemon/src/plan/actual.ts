import type { ContainerFacts, ContainerState } from '../engine/container-facts.ts';
import { label } from './labels.ts';
import { isNextName } from './names.ts';
import type { ActualRoute } from './routes.ts';

/** A container of an instance, reduced to what the planner needs. */
export interface ActualContainer {
  id: string;
  name: string;
  component: string;
  replica: number;
  deployment: string;
  config: string;
  /** Whether its configuration was changed since it was created. */
  altered: boolean;
  state: ContainerState;
  exitCode: number;
  started: boolean;
  stopGraceMs: number;
  /** Network that it was created on beside its predecessor; undefined if it got its aliases at once. */
  home: string | undefined;
  networks: readonly string[];
  /** Containers that it was created to replace, and whether they were running. */
  replaces: readonly Replaced[];
}

export interface Replaced {
  id: string;
  running: boolean;
}

export interface Actual {
  containers: readonly ActualContainer[];
  volumes: readonly string[];
  networks: readonly string[];
  /** Current targets of the routes. */
  routes: readonly ActualRoute[];
}

/** Reads the labels; undefined for a container that no deployment created. */
export function actualContainer(facts: ContainerFacts): ActualContainer | undefined {
  const { labels } = facts;
  const component = labels[label.component];
  if (labels[label.managed] !== 'true' || component === undefined) return undefined;
  if (labels[label.execution] !== undefined) return undefined;
  return {
    id: facts.id,
    name: facts.name,
    component,
    replica: Number(labels[label.replica] ?? 1),
    deployment: labels[label.deployment] ?? '',
    config: labels[label.config] ?? '',
    altered: false,
    state: facts.state,
    exitCode: facts.exitCode,
    started: facts.startedAt !== undefined,
    stopGraceMs: facts.stopGraceMs,
    home: labels[label.home],
    networks: facts.networks.map(({ name }) => name),
    replaces: replacedBy(labels),
  };
}

/** Encodes `replaces` as labels; `replacedBy` decodes them. */
export function replacesLabels(replaces: readonly Replaced[]): Record<string, string> {
  if (replaces.length === 0) return {};
  const running = replaces.filter((replace) => replace.running);
  return {
    [label.replaces]: replaces.map(({ id }) => id).join(','),
    [label.replacesRunning]: running.map(({ id }) => id).join(','),
  };
}

function replacedBy(labels: Record<string, string>): Replaced[] {
  const running = (labels[label.replacesRunning] ?? '').split(',');
  const ids = (labels[label.replaces] ?? '').split(',').filter((id) => id !== '');
  return ids.map((id) => ({ id, running: running.includes(id) }));
}

export function isNext(container: ActualContainer): boolean {
  return isNextName(container.name);
}

/** Answers whether it has processes or is about to get some. */
export function isUp({ state }: ActualContainer): boolean {
  return state === 'running' || state === 'restarting' || state === 'paused';
}

export function belongsTo(container: ActualContainer, unit: { component: string; replica: number }): boolean {
  return container.component === unit.component && container.replica === unit.replica;
}
