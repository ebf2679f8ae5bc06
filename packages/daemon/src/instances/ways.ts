import type { ContainerFacts } from '../engine/container-facts.ts';
import { label } from '../plan/labels.ts';
import { addressOf } from './address.ts';

/** A port of a task, by the name of its container on the network of its instance. */
export interface TaskPort {
  uid: string;
  task: string;
  port: number;
}

/** A socket that leads to a port of a task until it is disposed of, which never fails. */
export interface Relay extends AsyncDisposable {
  socketPath: string;
}

export type RelayTo = (to: TaskPort, signal?: AbortSignal) => Promise<Relay>;

/** Where a container is called; with a socket, `host` is only the name in the request. */
export interface Callee {
  host: string;
  socketPath?: string;
}

/** No retry would reach the port. */
export class UnreachablePort extends Error {}

/**
 * Finds ways to ports of containers. A task of a Swarm on another node, or on an internal network, has no address on this machine
 * and is reached through a relay, which takes seconds to start and is kept for later calls until the ways are disposed of.
 */
export class Ways implements AsyncDisposable {
  readonly #relayTo: RelayTo | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #relays = new Map<string, Relay>();

  constructor(relayTo: RelayTo | undefined, signal?: AbortSignal) {
    this.#relayTo = relayTo;
    this.#signal = signal;
  }

  /** Returns where the port is called; undefined if the container has no address. */
  async to(
    container: Pick<ContainerFacts, 'name' | 'labels' | 'networks' | 'hostNetwork' | 'node'>,
    port: number,
  ): Promise<Callee | undefined> {
    const host = addressOf(container);
    if (host !== undefined) return { host };
    const { name: task, labels, hostNetwork, node } = container;
    const component = labels[label.component] ?? task;
    if (hostNetwork && node !== undefined)
      throw new UnreachablePort(
        `${component} uses the network of node ${node.name}, whose ports this daemon does not reach.`,
      );
    const uid = labels[label.instance];
    if (this.#relayTo === undefined || uid === undefined) return undefined;
    const key = `${task}:${port}`;
    const relay = this.#relays.get(key) ?? (await this.#relayTo({ uid, task, port }, this.#signal));
    this.#relays.set(key, relay);
    return { host: component, socketPath: relay.socketPath };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#relays.values()].map((relay) => relay[Symbol.asyncDispose]()));
  }
}
