import { existsSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { askDocker, readDocker } from './docker-request.ts';
import { startProcess } from './process.ts';
import { startSwarm, tasksOf } from './swarm.ts';
import { until } from './until.ts';

const ours = () => readdirSync('/run/netns').filter((name) => name.startsWith('hortus-swarm-'));

async function runEverywhere(socketPath: string, image: string, replicas: number): Promise<void> {
  const { status, text } = await askDocker(socketPath, 'POST', '/services/create', {
    Name: 'web',
    TaskTemplate: { ContainerSpec: { Image: image, Command: ['sleep', '1000'] } },
    Mode: { Replicated: { Replicas: replicas } },
    EndpointSpec: { Mode: 'dnsrr' },
  });
  expect(`${status} ${text}`).toMatch(/^201/);
}

const runningNodes = async (socketPath: string) =>
  (await tasksOf(socketPath, 'web')).flatMap(({ Status, NodeID }) => (Status.State === 'running' ? NodeID : []));

test('a Swarm of one node runs a service from its registry and is removed completely', {
  timeout: 240_000,
}, async () => {
  const swarm = await startSwarm();
  const [node] = swarm.nodes;
  const spaces = ours();
  expect(spaces.length).toBeGreaterThanOrEqual(2);
  const image = await swarm.publish('tiny:1');
  await runEverywhere(node.socketPath, image, 2);
  await until(async () => (await runningNodes(node.socketPath)).length === 2, { describe: 'two running tasks' });
  const folder = dirname(dirname(node.socketPath));
  const mine = spaces.filter((name) => node.prefix[1]?.includes(name));
  await swarm.stop();
  expect(existsSync(folder)).toBe(false);
  for (const name of mine) expect(ours()).not.toContain(name);
});

test('a Swarm of three nodes moves the tasks of a killed node to the others', { timeout: 300_000 }, async () => {
  await using swarm = await startSwarm({ nodes: 3 });
  const [manager, , third] = swarm.nodes;
  const image = await swarm.publish('tiny:1');
  await runEverywhere(manager.socketPath, image, 3);
  await until(async () => new Set(await runningNodes(manager.socketPath)).size === 3, {
    describe: 'a task on each node',
    within: 60_000,
  });
  third?.kill();
  type Node = { Description: { Hostname: string }; Status: { State: string } };
  await until(
    async () => {
      const nodes = await readDocker<Node[]>(manager.socketPath, '/nodes');
      return nodes.some(({ Description, Status }) => Description.Hostname === third?.name && Status.State === 'down');
    },
    { describe: 'the killed node to be down', within: 90_000 },
  );
  await until(
    async () => {
      const tasks = await tasksOf(manager.socketPath, 'web');
      const up = tasks.filter(({ DesiredState, Status }) => DesiredState === 'running' && Status.State === 'running');
      return up.length === 3 && new Set(up.map(({ NodeID }) => NodeID)).size === 2;
    },
    { describe: 'three tasks on two nodes', within: 90_000 },
  );
});

test('a Swarm ends with its parent process, even if that is killed', { timeout: 240_000 }, async () => {
  const script = `import { startSwarm } from ${JSON.stringify(new URL('./swarm.ts', import.meta.url).href)};
    console.log((await startSwarm()).nodes[0].socketPath); setInterval(() => {}, 1000);`;
  await using owner = startProcess([process.execPath, '--input-type=module', '--eval', script]);
  const socketPath = await owner.waitForLine(/docker\.sock$/);
  await owner.kill();
  await until(async () => !existsSync(dirname(dirname(socketPath))), { describe: 'the folder to be removed' });
});
