import type { Turns } from '../actions/turns.ts';
import type { ContainerFacts } from '../engine/container-facts.ts';
import type { Engine, NetworkFacts } from '../engine/engine.ts';
import { keptNetwork } from '../engine/kept-network.ts';
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
  /** How long no connection may have used an extra network whose names may be remembered. */
  quietMs?: number;
}

/** What was seen of an extra network so far. */
interface Watched {
  unusedSince: number;
  /** Ids of the containers that have reached another component over the network of the instance. */
  readonly moved: Set<string>;
}

/** The lifetime of an answer of Docker's name server. */
const NAMES_LAST_MS = 600_000;

/**
 * Removes the extra networks of redeployments when they are not needed any more. A container that started beside its predecessor
 * keeps the connections that it opened there. It may also remember addresses of other components that it looked up there, and
 * some programs never look up again. So where other components are on the extra network, it stays until the container has been
 * seen to reach one of them over the network of the instance, and until no connection has used the extra one for a while.
 */
export class ExtraNetworks {
  readonly #options: ExtraNetworksOptions & { everyMs: number; quietMs: number };
  readonly #watched = new Map<string, Watched>();
  /** Networks that the engine would not remove. Each attempt would hold up the instance until it is given up. */
  readonly #kept = new Set<string>();
  #regular: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(options: ExtraNetworksOptions) {
    // More often than the kernel forgets closed connections, so that short ones are seen too.
    this.#options = { everyMs: 45_000, quietMs: NAMES_LAST_MS, ...options };
  }

  start(): void {
    const sweep = () => this.sweep();
    this.#regular = setInterval(guarded(this.#options.log, sweep), this.#options.everyMs);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#regular);
    await this.#looking;
  }

  /** Looks at the extra networks of one instance. Never rejects. */
  look(uid: string): Promise<void> {
    return this.#queue(() => this.#look(uid));
  }

  /** Looks at those of all instances. Never rejects. */
  sweep(): Promise<void> {
    return this.#queue(async () => {
      const { engine, serverId } = this.#options;
      const labels = { [label.managed]: 'true', [label.server]: serverId(), [label.instance]: true } as const;
      const extras = (await engine.networks({ labels })).filter(isExtra);
      const names = new Set(extras.map(({ name }) => name));
      for (const name of this.#watched.keys()) if (!names.has(name)) this.#watched.delete(name);
      for (const uid of new Set(extras.map(instanceOf))) await this.#look(uid);
    });
  }

  /** One after another: nothing waits for this, and the engine has more urgent work. */
  #queue(work: () => Promise<void>): Promise<void> {
    const { log } = this.#options;
    this.#looking = this.#looking.then(work).catch((error: Error) => {
      log.debug('extra networks could not be looked at', { error });
    });
    return this.#looking;
  }

  async #look(uid: string): Promise<void> {
    const { engine, turns, log } = this.#options;
    // A rollout sees to the networks of its instance itself.
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
          log.warn(keptNetwork(network.name));
          continue;
        }
        log.info('the extra network of a redeployment was removed: nothing uses it', { network: network.name });
      }
    });
  }

  #isUnneeded(
    { name, subnets }: NetworkFacts,
    lasting: string,
    containers: readonly ContainerFacts[],
    sockets: ReadonlyMap<string, readonly Socket[]>,
  ): boolean {
    const on = (one: ContainerFacts, network: string) => one.networks.find((joined) => joined.name === network);
    const members = containers.filter((one) => on(one, name));
    // A rollout was cut off; the next one goes on from here.
    if (members.some((one) => isNextName(one.name) || !on(one, lasting))) return false;
    const ranges = subnets.flatMap((subnet) => parseCidr(subnet) ?? []);
    const used = members.flatMap(({ id }) => sockets.get(id) ?? []).filter((socket) => touches(socket, ranges));
    const others = members.filter((one) => !isBornOn(one, name));
    if (others.length === 0) return used.every(({ isClosed }) => isClosed);
    // Closed ones show that an address was remembered, unless they came from the host, as health checks do.
    const addresses = new Set(members.map((one) => parseAddress(on(one, name)?.address ?? '')));
    if (used.some(({ isClosed, remote }) => !isClosed || addresses.has(remote))) {
      this.#watched.delete(name);
      return false;
    }
    const watched = this.#watched.get(name) ?? { unusedSince: performance.now(), moved: new Set() };
    this.#watched.set(name, watched);
    const place = (one: ContainerFacts): Place => ({
      address: parseAddress(on(one, lasting)?.address ?? ''),
      sockets: sockets.get(one.id) ?? [],
    });
    const born = members.filter((one) => isBornOn(one, name));
    for (const one of born) if (others.some((other) => hasReached(place(one), place(other)))) watched.moved.add(one.id);
    const isQuiet = performance.now() - watched.unusedSince >= this.#options.quietMs;
    return isQuiet && born.every(({ id }) => watched.moved.has(id));
  }
}

const instanceOf = ({ labels }: NetworkFacts): string => labels[label.instance] ?? '';
const isExtra = (network: NetworkFacts): boolean => network.name.startsWith(`${networkName(instanceOf(network))}.`);
const isBornOn = ({ labels }: ContainerFacts, network: string): boolean => labels[label.home] === network;

const touches = ({ local, remote }: Socket, ranges: readonly AddressRange[]): boolean =>
  ranges.some((range) => contains(range, local) || contains(range, remote));

/** A container on the network of its instance. */
interface Place {
  address: number | undefined;
  sockets: readonly Socket[];
}

/** Whether one has connected to a port of the other. Either side may be the only one to remember a closed connection. */
function hasReached(one: Place, other: Place): boolean {
  const ports = new Set(other.sockets.filter(({ isListening }) => isListening).map(({ localPort }) => localPort));
  return (
    one.sockets.some(({ remote, remotePort }) => remote === other.address && ports.has(remotePort)) ||
    other.sockets.some(({ remote, localPort, isListening }) => {
      return !isListening && remote === one.address && ports.has(localPort);
    })
  );
}
