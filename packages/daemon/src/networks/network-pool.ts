import type { NetworkUsage } from '@hortus/contract/records/network-usage';
import type { Engine, NetworkSpec } from '../engine/engine.ts';
import { isEngineProblem } from '../engine/engine-problem.ts';
import type { Log } from '../log.ts';
import { MIN_NETWORK } from '../plan/network-size.ts';
import { type AddressRange, formatAddress, formatCidr, parseCidr } from './address-range.ts';
import { chooseSubnet, poolUsage } from './choose-subnet.ts';
import { defaultPool } from './default-pools.ts';
import { hostRanges } from './host-ranges.ts';
import { POOL_SETTING } from './pool-setting.ts';

export interface NetworkPoolOptions {
  engine: Pick<Engine, 'networks' | 'ensureNetwork' | 'info'>;
  /** Pool set by the operator; undefined for a default that fits the host. */
  pool: readonly AddressRange[] | undefined;
  log: Log;
  /** Called when the pool is empty; removes unused networks. */
  reclaim?: () => Promise<void>;
  /** Addresses and routes of the host. */
  host?: () => Promise<AddressRange[]>;
}

interface PoolState {
  names: ReadonlySet<string>;
  pool: readonly AddressRange[];
  taken: readonly AddressRange[];
}

/** The pool has no free subnet. The message is for the person who deploys. */
export class PoolEmpty extends Error {}

/** Limit of retries: each conflict with another user of the engine rules one subnet out. */
const MAX_TRIES = 200;

/**
 * Chooses the subnets of the daemon's networks. Reads the taken ranges from the engine and the host each time, so that
 * there is no state to store or to lose.
 */
export class NetworkPool {
  readonly #options: NetworkPoolOptions;
  /** Chosen subnets that may not be in the engine's list yet. */
  readonly #reserved = new Set<AddressRange>();
  #enginePools: Promise<AddressRange[]> | undefined;
  #reported = '';

  constructor(options: NetworkPoolOptions) {
    this.#options = options;
  }

  async usage(): Promise<NetworkUsage> {
    const { pool, taken } = await this.#poll();
    return { pool: pool.map(formatCidr), ...poolUsage(pool, taken, MIN_NETWORK) };
  }

  async ensureNetwork(spec: NetworkSpec): Promise<string> {
    const { engine, reclaim } = this.#options;
    const refused: AddressRange[] = [];
    let reclaimed = reclaim === undefined;
    for (;;) {
      const state = await this.#poll();
      // Keep existing networks, whatever their subnet.
      if (state.names.has(spec.name)) return await engine.ensureNetwork(spec);
      const subnet = chooseSubnet(state.pool, [...state.taken, ...this.#reserved, ...refused], spec.addresses);
      if (subnet === undefined && !reclaimed) {
        reclaimed = true;
        await reclaim?.();
        continue;
      }
      if (subnet === undefined) throw new PoolEmpty(emptyMessage(spec, state));
      this.#reserved.add(subnet);
      try {
        return await engine.ensureNetwork({ ...spec, subnet: formatCidr(subnet), ...deadEnd(spec, subnet) });
      } catch (error) {
        if (!isEngineProblem(error, 'subnet_taken') || refused.length >= MAX_TRIES) throw error;
        refused.push(subnet);
      } finally {
        this.#reserved.delete(subnet);
      }
    }
  }

  async #poll(): Promise<PoolState> {
    const { engine, host = hostRanges } = this.#options;
    const [networks, ranges] = await Promise.all([engine.networks({ labels: {} }), host()]);
    const ofEngine = networks.flatMap(({ subnets }) => subnets.flatMap((subnet) => parseCidr(subnet) ?? []));
    // The host has an address and a route in each network of the engine; those are not foreign.
    const isOfEngine = ({ first, last }: AddressRange) =>
      ofEngine.some((network) => network.first <= first && last <= network.last);
    const pool = await this.#pool(ranges.filter((range) => !isOfEngine(range)));
    this.#notify(pool);
    return { names: new Set(networks.map(({ name }) => name)), pool, taken: [...ofEngine, ...ranges] };
  }

  async #pool(foreign: readonly AddressRange[]): Promise<readonly AddressRange[]> {
    if (this.#options.pool) return this.#options.pool;
    const ofEngine = await this.#poolsOfEngine();
    return ofEngine.length > 0 ? ofEngine : defaultPool(foreign);
  }

  /** Asked once: Podman takes a second to respond, and engines read this setting only at their start. */
  #poolsOfEngine(): Promise<AddressRange[]> {
    this.#enginePools ??= this.#options.engine
      .info()
      .then(({ addressPools }) => addressPools.flatMap((block) => parseCidr(block) ?? []));
    this.#enginePools.catch(() => {
      this.#enginePools = undefined;
    });
    return this.#enginePools;
  }

  #notify(pool: readonly AddressRange[]): void {
    const shown = pool.map(formatCidr).join(', ');
    if (shown === this.#reported) return;
    this.#reported = shown;
    this.#options.log.info({ pool: shown }, 'using this pool for the subnets of new networks');
  }
}

/**
 * Leads the default route of an internal network to an address that no one has. Docker 20.10 keeps foreign traffic out of
 * such a network, but without this its containers reach every address of the server itself.
 */
const deadEnd = ({ internal }: NetworkSpec, { last }: AddressRange) =>
  internal ? { gateway: formatAddress(last - 1) } : {};

function emptyMessage({ name, addresses }: NetworkSpec, { pool, taken }: PoolState): string {
  const { total, used } = poolUsage(pool, taken, MIN_NETWORK);
  return (
    `No free subnet for network ${name}: the pool ${pool.map(formatCidr).join(', ')} has no free block of ${addresses} addresses ` +
    `(${used} of ${total} blocks of ${MIN_NETWORK} are used). Release instances that are not needed, ` +
    `or set ${POOL_SETTING} of the daemon to a larger pool and restart it`
  );
}
