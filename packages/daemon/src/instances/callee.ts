import type { ContainerFacts } from '../engine/container-facts.ts';
import { label } from '../plan/labels.ts';
import { addressOf } from './address.ts';

/** A port of a task, by the name of its container on the network of its instance. */
export interface TaskPort {
  uid: string;
  task: string;
  port: number;
}

/** Calls `use` with a socket that leads to a port of a task. */
export type RelayTo = <Result>(to: TaskPort, use: (socketPath: string) => Promise<Result>) => Promise<Result>;

/** Where a container is called; with a socket, `host` is only the name in the request. */
export interface Callee {
  host: string;
  socketPath?: string;
}

/**
 * Calls `use` with the address of a container. A task of a Swarm on another node, or on an internal network, has none on this
 * machine and is reached through a relay. Undefined if there is no way.
 */
export async function reach<Result>(
  container: Pick<ContainerFacts, 'name' | 'labels' | 'networks' | 'hostNetwork'>,
  port: number,
  relayTo: RelayTo | undefined,
  use: (callee: Callee | undefined) => Promise<Result>,
): Promise<Result> {
  const host = addressOf(container);
  if (host !== undefined) return await use({ host });
  const { name, labels } = container;
  const uid = labels[label.instance];
  if (relayTo === undefined || uid === undefined) return await use(undefined);
  const to = { uid, task: name, port };
  return await relayTo(to, (socketPath) => use({ host: labels[label.component] ?? name, socketPath }));
}
