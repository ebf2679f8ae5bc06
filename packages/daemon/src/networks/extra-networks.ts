import type { Turns } from '../concurrency/turns.ts';
import type { ContainerFacts } from '../engine/container-facts.ts';
import type { Engine, NetworkFacts } from '../engine/engine.ts';
import { stuckNetwork } from '../engine/stuck-network.ts';
import { guarded } from '../guard.ts';
import type { Log } from '../log.ts';
import { label } from '../plan/labels.ts';
import { isNextName, networkName } from '../plan/names.ts';
import { type AddressRange, contains, parseAddress, parseCidr } from './address-range.ts';
import { type Socket, socketsOf } from './open-sockets.ts';

export interface ExtraNetworksOptions {
  engine: Pick<Engine, 'networks' | 'containers' | 'removeNetwork'>;
  turns: Turns;
  serverId(): string;
  log: Log;
  everyMs?: number;
  /** Time without connections after which an extra network is removed although its addresses may be cached. */
  quietMs?: number;
}

/** Observations of an extra network. */
interface Watched {
  unusedSince: number;
  /** Ids of containers that have reached another component over the instance's network. */
  readonly moved: Set<string>;
}

/** TTL of responses from Docker's name server. */
const NAMES_LAST_MS = 600_000;

/**
 * Removes the extra networks of redeployments once they are unused. A container that started beside its predecessor
 * keeps connections that it opened there. It may also cache addresses of other components on it, and some programs
 * never resolve again. So if other components are on an extra network, it stays until the container has reached one of
 * them over the instance's network and no connection has used the extra one for a while.
 */
export class ExtraNetworks {
  readonly #options: ExtraNetworksOptions & { everyMs: number; quietMs: number };
  readonly #watched = new Map<string, Watched>();
  /** Networks that the engine would not remove. Each attempt would hold up the instance until it is given up. */
  readonly #kept = new Set<string>();
  #regular: NodeJS.Timeout | undefined;
  #supervising: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: ExtraNetworksOptions) {
    // More often than the kernel forgets closed connections, so that short ones are noticed too.
    this.#options = { everyMs: 45_000, quietMs: NAMES_LAST_MS, ...options };
  }

  start(): void {
    const sweep = () => this.sweep();
    this.#regular = setInterval(guarded(this.#options.log, sweep), this.#options.everyMs);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#regular);
    await this.#supervising;
  }

  /** Checks the extra networks of one instance. Never rejects. */
  poll(uid: string): Promise<void> {
    return this.#queue(() => this.#poll(uid));
  }

  /** Checks the extra networks of all instances. Never rejects. */
  sweep(): Promise<void> {
    return this.#queue(async () => {
      const { engine, serverId } = this.#options;
      const labels = { [label.managed]: 'true', [label.server]: serverId(), [label.instance]: true } as const;
      const extras = (await engine.networks({ labels })).filter(isExtra);
      const names = new Set(extras.map(({ name }) => name));
      for (const name of this.#watched.keys()) if (!names.has(name)) this.#watched.delete(name);
      for (const uid of new Set(extras.map(instanceOf))) await this.#poll(uid);
    });
  }

  /** Runs checks one after another: they are not urgent, and the engine has other work. */
  #queue(work: () => Promise<void>): Promise<void> {
    const { log } = this.#options;
    this.#supervising = this.#supervising.then(work).catch((error: Error) => {
      log.debug({ err: error }, 'extra networks could not be checked');
    });
    return this.#supervising;
  }

  async #poll(uid: string): Promise<void> {
    const { engine, turns, log } = this.#options;
    // A running rollout manages the networks of its instance itself.
    if (this.#stopped || turns.busy(uid)) return;
    await turns.take(uid, async () => {
      const labels = { [label.managed]: 'true', [label.instance]: uid };
      const extras = (await engine.networks({ labels })).filter(isExtra);
      const networks = extras.filter(({ name }) => !this.#kept.has(name));
      if (networks.length === 0) return;
      const containers = await engine.containers({ labels });
      const sockets = new Map<string, Socket[]>();
      for (const { id, state, pid } of containers) if (state === 'running') sockets.set(id, await socketsOf(pid));
      for (const network of networks) {
        if (!this.#isUnneeded(network, networkName(uid), containers, sockets)) continue;
        const removal = await engine.removeNetwork(network.name);
        this.#watched.delete(network.name);
        if (removal === 'kept') {
          this.#kept.add(network.name);
          log.warn(stuckNetwork(network.name));
          continue;
        }
        log.info({ network: network.name }, 'removed the unused extra network of a redeployment');
      }
    });
  }

  #isUnneeded(
    { name, subnets }: NetworkFacts,
    lasting: string,
    containers: readonly ContainerFacts[],
    sockets: ReadonlyMap<string, readonly Socket[]>,
  ): boolean {
    const on = (container: ContainerFacts, network: string) =>
      container.networks.find((joined) => joined.name === network);
    const members = containers.filter((container) => on(container, name));
    // An interrupted rollout needs the network when it continues.
    if (members.some((member) => isNextName(member.name) || !on(member, lasting))) return false;
    const ranges = subnets.flatMap((subnet) => parseCidr(subnet) ?? []);
    const used = members.flatMap(({ id }) => sockets.get(id) ?? []).filter((socket) => touches(socket, ranges));
    const others = members.filter((member) => !isBornOn(member, name));
    if (others.length === 0) return used.every(({ isClosed }) => isClosed);
    // A closed connection shows that an address was cached, unless it came from the host, as health checks do.
    const addresses = new Set(members.map((member) => parseAddress(on(member, name)?.address ?? '')));
    if (used.some(({ isClosed, remote }) => !isClosed || addresses.has(remote))) {
      this.#watched.delete(name);
      return false;
    }
    const watched = this.#watched.get(name) ?? { unusedSince: performance.now(), moved: new Set() };
    this.#watched.set(name, watched);
    const place = (container: ContainerFacts): Place => ({
      address: parseAddress(on(container, lasting)?.address ?? ''),
      sockets: sockets.get(container.id) ?? [],
    });
    const born = members.filter((member) => isBornOn(member, name));
    for (const container of born)
      if (others.some((other) => hasReached(place(container), place(other)))) watched.moved.add(container.id);
    const isQuiet = performance.now() - watched.unusedSince >= this.#options.quietMs;
    return isQuiet && born.every(({ id }) => watched.moved.has(id));
  }
}

const instanceOf = ({ labels }: NetworkFacts): string => labels[label.instance] ?? '';
const isExtra = (network: NetworkFacts): boolean => network.name.startsWith(`${networkName(instanceOf(network))}.`);
const isBornOn = ({ labels }: ContainerFacts, network: string): boolean => labels[label.home] === network;

const touches = ({ local, remote }: Socket, ranges: readonly AddressRange[]): boolean =>
  ranges.some((range) => contains(range, local) || contains(range, remote));

/** A container's address and sockets on the instance's network. */
interface Place {
  address: number | undefined;
  sockets: readonly Socket[];
}

/**
 * Answers whether one container connected to a port of the other. A closed connection may be visible on one side only.
 */
function hasReached(place: Place, other: Place): boolean {
  const ports = new Set(other.sockets.filter(({ isListening }) => isListening).map(({ localPort }) => localPort));
  return (
    place.sockets.some(({ remote, remotePort }) => remote === other.address && ports.has(remotePort)) ||
    other.sockets.some(({ remote, localPort, isListening }) => {
      return !isListening && remote === place.address && ports.has(localPort);
    })
  );
}
