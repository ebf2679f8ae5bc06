import type { Engine } from '@hortus/daemon/engine/engine';
import { formatAddress, parseCidr } from '@hortus/daemon/networks/address-range';
import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import { createAndDeploy, deploy, finished, type Installation, openInstallation, redeploy } from './installation.ts';
import { PAGE_IMAGE } from './test-species.ts';
import { testUnlessOnSwarm } from './unless-on-swarm.ts';

/** Two components that can run next to their predecessors: one input changes both, the other only the first. */
const PAIR = `
slug: pair
name: Pair
description: Two components, for tests of many instances.
version: 1.0.0
app_version: "1"
archetype: application
taxonomy: {kingdom: applications, family: website}
image: {repository: ${PAGE_IMAGE}, tag: "1"}
inputs:
  optional:
    - {name: OF_APP, type: text, default: first}
    - {name: OF_BOTH, type: text, default: first}
components:
  app: {image: "\${template.image}", command: [sleep, "100000"], stop_signal: SIGKILL, env: {A: "\${inputs.OF_APP}", B: "\${inputs.OF_BOTH}"}}
  store: {image: "\${template.image}", command: [sleep, "100000"], stop_signal: SIGKILL, env: {B: "\${inputs.OF_BOTH}"}}
deadline: 300s
`;

const MANY = process.env.HORTUS_TEST_LONG ? 150 : 4;
const AT_ONCE = 4;

const openPairs = () => openInstallation({ species: { pair: PAIR } });

const networksOf = async ({ engine, serverId }: Installation) =>
  (await engine.networks({ labels: { 'hortus.server': serverId } })).map(({ name, subnets }) => ({ name, subnets }));

async function archive({ service }: Installation, id: string): Promise<void> {
  await service.client.call('definitions.archive', { params: { id } });
}

/** Address blocks allowed by the test engine and used by no other test. */
async function smallPool(engine: Engine): Promise<string> {
  const [base = '10.254.0.0/16'] = (await engine.info()).addressPools;
  const first = (parseCidr(base)?.first ?? 0) + (128 + (process.pid % 100)) * 256;
  return `${formatAddress(first)}/26,${formatAddress(first + 64)}/27`;
}

testUnlessOnSwarm(
  'instances fill a small address pool, redeploy in it, and fail with a clear error when it is exhausted',
  {
    timeout: 600_000,
  },
  async () => {
    await using installation = await openPairs();
    const { engine, service } = installation;
    const networkPool = await smallPool(engine);
    installation.startDaemon({ networkPool });
    await installation.online();

    // Four networks of 16 addresses leave room for four extra ones of 8, and each round needs four.
    const uids = ['pool-a', 'pool-b', 'pool-c', 'pool-d'];
    const deployed: string[] = [];
    for (const uid of uids) deployed.push((await createAndDeploy(installation, uid, { species: 'pair' })).definitionId);
    const inputs = [{ OF_BOTH: 'second' }, { OF_BOTH: 'second' }, { OF_APP: 'second' }, { OF_APP: 'second' }];
    for (const round of ['first', 'second']) {
      for (const [index, id] of deployed.entries()) {
        const changed = Object.keys(inputs[index] ?? {}).map((name) => [name, `${round} again`]);
        const { status, error } = await redeploy(installation, id, Object.fromEntries(changed));
        expect(status, error ?? '').toBe('success');
      }
    }
    // A component that stayed may still use its address on the extra network.
    await until(async () => (await networksOf(installation)).length === 6, { describe: 'unused extra networks to go' });

    const server = async () =>
      (await service.client.call('servers.read', { params: { id: installation.serverId } })).data;
    const attempt = async (uid: string) => {
      const body = { species: 'pair', instance_uid: uid, server_id: installation.serverId, inputs: {} };
      const { id } = (await service.client.call('definitions.create', { body })).data;
      return { ...(await finished(installation, await deploy(installation, id))), uid, definitionId: id };
    };
    let refused = await attempt('pool-e');
    for (const uid of ['pool-f', 'pool-g']) if (refused.status === 'success') refused = await attempt(uid);
    const { uid, definitionId } = refused;
    expect(refused).toMatchObject({ status: 'failed', reason: 'network_pool' });
    expect(refused.error).toMatch(
      /No free subnet for network hortus-pool-[efg]: the pool .*6 of 6 .*HORTUS_NETWORK_POOL/,
    );
    expect(await engine.containers({ labels: { 'hortus.instance': uid } })).toEqual([]);
    await until(async () => (await server()).networks?.free === 0, { describe: 'the server to report a full pool' });
    expect((await server()).networks).toEqual({ pool: networkPool.split(','), total: 6, used: 6, free: 0 });

    await archive(installation, deployed[0] ?? '');
    await until(async () => !(await networksOf(installation)).some(({ name }) => name === 'hortus-pool-a'), {
      describe: 'the network of the archived instance to go',
    });
    const again = await finished(installation, await deploy(installation, definitionId));
    expect(again.status, again.error ?? '').toBe('success');
  },
);

test(`${MANY} instances of two components are deployed and redeployed on one server, and leave nothing`, {
  timeout: 3 * 3_600_000,
}, async () => {
  await using installation = await openPairs();
  installation.startDaemon();
  await installation.online();
  const { engine } = installation;
  const begun = performance.now();
  const seconds = () => `${Math.round((performance.now() - begun) / 1_000)} s`;
  const deployed = new Map<number, string>();
  await each(MANY, async (index) => {
    deployed.set(index, (await createAndDeploy(installation, `many-${index}`, { species: 'pair' })).definitionId);
  });
  console.log(`${MANY} deployed after ${seconds()}; networks: ${(await networksOf(installation)).length}`);
  await each(MANY, async (index) => {
    const inputs = index % 2 === 0 ? { OF_BOTH: 'second' } : { OF_APP: 'second' };
    const { status, error } = await redeploy(installation, deployed.get(index) ?? '', inputs, 600_000);
    expect(status, error ?? '').toBe('success');
  });
  // Extra networks stay only where a component was kept; a cluster has none, because the Swarm keeps addresses apart.
  const expected = MANY + (installation.kind === 'cluster' ? 0 : Math.floor(MANY / 2));
  await until(async () => (await networksOf(installation)).length === expected, {
    within: 300_000,
    describe: `${expected} networks`,
  });
  console.log(`all redeployed after ${seconds()}; networks: ${(await networksOf(installation)).length}`);
  const labels = { 'hortus.server': installation.serverId };
  const containers = await engine.containers({ labels });
  expect(containers.filter(({ state }) => state === 'running')).toHaveLength(2 * MANY);
  await Promise.all([...deployed.values()].map((id) => archive(installation, id)));
  const isEmpty = async () => (await networksOf(installation)).length === 0;
  await until(isEmpty, { within: 600_000, every: 500, describe: 'the networks of all instances to go' });
  expect(await engine.containers({ labels })).toEqual([]);
  console.log(`all archived after ${seconds()}; networks: 0, containers: 0`);
});

/** Calls `work` for 0 to `count - 1`, a few at once. */
async function each(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
