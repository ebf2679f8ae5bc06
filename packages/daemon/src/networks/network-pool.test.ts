import { openLog } from '@hortus/logging/log';
import { expect, test } from 'vitest';
import type { NetworkFacts, NetworkSpec } from '../engine/engine.ts';
import { EngineProblem } from '../engine/engine-problem.ts';
import { type AddressRange, overlaps, parseCidr } from './address-range.ts';
import { NetworkPool, PoolEmpty } from './network-pool.ts';

const range = (cidr: string) => parseCidr(cidr) as AddressRange;
const spec = (name: string, addresses = 16): NetworkSpec => ({ name, labels: {}, owner: [], addresses });

/** Rejects overlapping subnets as real engines do, asynchronously. */
class Engine {
  made: NetworkFacts[] = [];
  gateways: (string | undefined)[] = [];
  refusals = 0;
  readonly addressPools: string[];

  constructor(addressPools: string[] = []) {
    this.addressPools = addressPools;
  }

  networks = async () => {
    await delay();
    return [...this.made];
  };

  info = async () => ({ addressPools: this.addressPools }) as never;

  ensureNetwork = async ({ name, subnet, gateway }: NetworkSpec) => {
    await delay();
    if (this.made.some((network) => network.name === name)) return name;
    const clash = this.made.some(({ subnets }) => overlaps(range(subnets[0] ?? ''), range(subnet ?? '')));
    if (clash) {
      this.refusals++;
      throw new EngineProblem({ operation: `create network ${name}`, kind: 'subnet_taken', detail: 'overlaps' });
    }
    this.made.push({ name, labels: {}, subnets: [subnet ?? ''] });
    this.gateways.push(gateway);
    return name;
  };
}

const delay = () => new Promise((resolve) => setImmediate(resolve));

function poolOn(engine: Engine, overrides: string | undefined, host: () => string[] = () => []) {
  const pool = overrides === undefined ? undefined : overrides.split(',').map(range);
  return new NetworkPool({ engine, pool, log: openLog({ level: 'error' }), host: async () => host().map(range) });
}

const subnetsOf = ({ made }: Engine) => made.map(({ subnets }) => subnets[0]);

test('a hundred networks at once get different subnets, and the engine rejects none', async () => {
  const engine = new Engine();
  const pool = poolOn(engine, '10.254.0.0/16');
  await Promise.all(Array.from({ length: 100 }, (_, index) => pool.ensureNetwork(spec(`n${index}`))));
  expect(new Set(subnetsOf(engine)).size).toBe(100);
  expect(await pool.usage()).toEqual({ pool: ['10.254.0.0/16'], total: 4_096, used: 100, free: 3_996 });
});

test('daemons that share an engine and a pool fill it to its last block without overlap', async () => {
  const engine = new Engine();
  const pools = Array.from({ length: 16 }, () => poolOn(engine, '10.254.0.0/24'));
  await Promise.all(pools.map((pool, index) => pool.ensureNetwork(spec(`n${index}`))));
  expect(new Set(subnetsOf(engine)).size).toBe(16);
  expect(engine.refusals).toBeGreaterThan(0);
  expect(await pools[0]?.usage()).toMatchObject({ total: 16, used: 16, free: 0 });
});

test('the error for an empty pool names its setting and its usage', async () => {
  const engine = new Engine();
  const pool = poolOn(engine, '10.254.0.0/27');
  await pool.ensureNetwork(spec('a'));
  await pool.ensureNetwork(spec('b', 8));
  const refused = pool.ensureNetwork(spec('c'));
  await expect(refused).rejects.toThrow(PoolEmpty);
  await expect(refused).rejects.toThrow(
    /network c: the pool 10\.254\.0\.0\/27 has no free block of 16 addresses \(2 of 2 .*HORTUS_NETWORK_POOL/,
  );
  // An existing network needs no space, and a smaller one still fits.
  expect(await pool.ensureNetwork(spec('a'))).toBe('a');
  expect(await pool.ensureNetwork(spec('d', 8))).toBe('d');
  engine.made = engine.made.filter(({ name }) => name !== 'a');
  expect(await pool.ensureNetwork(spec('c'))).toBe('c');
});

test('ranges with addresses or routes of the host are not used', async () => {
  const engine = new Engine();
  const pool = poolOn(engine, '10.254.0.0/24', () => ['10.254.0.0/28', '10.254.0.40/32']);
  await pool.ensureNetwork(spec('a'));
  await pool.ensureNetwork(spec('b'));
  expect(subnetsOf(engine)).toEqual(['10.254.0.16/28', '10.254.0.48/28']);
});

test('a route that appears later moves new networks to another default pool, and existing ones stay', async () => {
  const engine = new Engine();
  let routes = ['192.168.1.0/24'];
  const pool = poolOn(engine, undefined, () => [...routes, ...(subnetsOf(engine) as string[])]);
  await pool.ensureNetwork(spec('a'));
  // The host's own route to the new network must not move the pool.
  await pool.ensureNetwork(spec('b'));
  routes = ['192.168.1.0/24', '10.0.0.0/8'];
  await pool.ensureNetwork(spec('c'));
  await pool.ensureNetwork(spec('a'));
  expect(subnetsOf(engine)).toEqual(['10.254.0.0/28', '10.254.0.16/28', '172.16.0.0/28']);
});

test('without a setting, the address pools of the engine take precedence over the default', async () => {
  const engine = new Engine(['10.7.0.0/16', 'fd00::/64']);
  const pool = poolOn(engine, undefined);
  await pool.ensureNetwork(spec('a'));
  expect(await pool.usage()).toMatchObject({ pool: ['10.7.0.0/16'], used: 1 });
});

test('the default route of an internal network ends at its last address, so that containers do not reach the server', async () => {
  const engine = new Engine();
  const pool = poolOn(engine, '10.254.0.0/16');
  await pool.ensureNetwork(spec('ordinary'));
  await pool.ensureNetwork({ ...spec('internal'), internal: true });
  expect(subnetsOf(engine)).toEqual(['10.254.0.0/28', '10.254.0.16/28']);
  expect(engine.gateways).toEqual([undefined, '10.254.0.30']);
});
