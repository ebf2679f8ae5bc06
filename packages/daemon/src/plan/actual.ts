import type { ContainerFacts, ContainerState } from '../engine/container-facts.ts';
import { label } from './labels.ts';
import { isNextName } from './names.ts';
import type { ActualRoute } from './routes.ts';

/** A container of an instance, as far as planning cares. */
export interface ActualContainer {
  id: string;
  name: string;
  component: string;
  replica: number;
  deployment: string;
  config: string;
  /** It is not what it was made as: somebody has changed it since. */
  altered: boolean;
  state: ContainerState;
  exitCode: number;
  started: boolean;
  stopGraceMs: number;
  /** The network it was born on beside its predecessor; missing where it was given its name in the instance at once. */
  home: string | undefined;
  networks: readonly string[];
  /** The containers it was made to take the place of, and whether they were running. */
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
  /** Where the ways in from outside lead now. */
  routes: readonly ActualRoute[];
}

/** What the labels say; undefined for what no deployment made. */
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

/** As labels, for `replacedBy` to read back. */
export function replacesLabels(replaces: readonly Replaced[]): Record<string, string> {
  if (replaces.length === 0) return {};
  const running = replaces.filter((one) => one.running);
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

/** It has processes, or the engine is about to give it some. */
export function isUp({ state }: ActualContainer): boolean {
  return state === 'running' || state === 'restarting' || state === 'paused';
}

export function belongsTo(container: ActualContainer, unit: { component: string; replica: number }): boolean {
  return container.component === unit.component && container.replica === unit.replica;
}
