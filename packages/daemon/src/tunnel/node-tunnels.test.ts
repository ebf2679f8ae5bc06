import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { openLog } from '@hortus/logging/log';
import { startProcess } from '@hortus/testkit/process';
import { canStartSwarm } from '@hortus/testkit/swarm';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TaskFacts } from '../engine/cluster.ts';
import { openDockerEngine } from '../engine/docker/docker-engine.ts';
import type { Engine, ExecHandle } from '../engine/engine.ts';
import { runningContainer } from '../instances/instance-containers.ts';
import { Ways } from '../instances/ways.ts';
import { label } from '../plan/labels.ts';
import { component } from '../plan/testing/manifests.ts';
import { instanceViews } from '../swarm/instance-views.ts';
import { swarmEngine } from '../swarm/swarm-engine.ts';
import { SwarmServer } from '../swarm/testing/swarm-server.ts';
import { readVolume, writeVolume } from '../volumes/volumes.ts';
import { NodeTunnels } from './node-tunnels.ts';
import { TUNNEL_NODE, TUNNEL_PART } from './tunnel-services.ts';

const limit = { timeout: 240_000 };
const folder = temporaryFolder('tunnels');
let server: SwarmServer;
let tunnels: NodeTunnels;
let engine: Engine;
let isBusy = false;

beforeAll(async () => {
  if (!canStartSwarm) return;
  server = await SwarmServer.open({ nodes: 3 });
  await server.label('far=true', [2]);
  tunnels = new NodeTunnels({
    cluster: server.cluster,
    engine: server.engine,
    open: (socketPath) => openDockerEngine({ socketPath }),
    image: await server.swarm.publish('haproxy:1', { programs: ['haproxy'] }),
    folder: join(folder.path, 'nodes'),
    serverId: () => server.id,
    leads: () => true,
    busy: () => isBusy,
    log: openLog({ level: 'error' }),
  });
  engine = swarmEngine(server.engine, server.cluster, tunnels);
}, 180_000);

afterAll(async () => {
  await server?.close();
  await folder.remove();
});

/** Deploys a component with a volume on the third node, which is a worker without a daemon. */
async function deployFar(uid: string): Promise<TaskFacts> {
  const placement = { constraints: { far: 'true' } };
  const storage = [{ name: 'data', volume: `${uid}-data`, mount_path: '/data', read_only: false, critical: true }];
  const app = component('app', { image: server.image, command: ['sleep', '100000'], placement, storage });
  const result = await server.deploy(uid, [app]);
  expect(`${result.status} ${server.said()}`).toMatch(/^success/);
  return await until(async () => (await server.running(uid))[0], { describe: 'its task' });
}

async function outputOf({ output }: ExecHandle): Promise<string> {
  let text = '';
  for await (const { chunk } of output) text += chunk.toString('utf8');
  return text;
}

const parts = () => server.cluster.services({ labels: { [TUNNEL_NODE]: true } });
const secrets = () => server.cluster.contents('secrets', { labels: { [TUNNEL_PART]: true } });

test.skipIf(!canStartSwarm)('a command and its input reach a task on a worker without a daemon', limit, async () => {
  const task = await deployFar(server.newUid());
  const [, , third] = server.swarm.nodes;
  const nodes = await server.cluster.nodes();
  expect(nodes.find(({ id }) => id === task.node)?.name).toBe(third?.name);
  const named = await engine.exec(task.containerId, { argv: ['sh', '-c', 'echo "$A"; cat'], env: { A: 'far' } });
  expect(await outputOf(named)).toBe('far\n');
  const fed = await engine.exec(task.containerId, { argv: ['wc', '-c'], stdin: Readable.from(['x'.repeat(300_000)]) });
  expect((await outputOf(fed)).trim()).toBe('300000');
  expect(await fed.inspect()).toMatchObject({ running: false, exitCode: 0 });
  const shell = await engine.attach(task.containerId, { argv: ['sh'], env: {}, terminal: { cols: 80, rows: 24 } });
  shell.input.write('echo $((6 * 7)); exit\n');
  expect(await outputOf(shell)).toContain('42');
});

test.skipIf(!canStartSwarm)('the volumes of an instance are read and written on their node', limit, async () => {
  const uid = server.newUid();
  const task = await deployFar(uid);
  const viewOf = instanceViews({ engine, cluster: server.cluster, others: tunnels, wrap: (engine) => engine });
  const view = await viewOf(uid);
  const run = async (script: string) => outputOf(await engine.exec(task.containerId, { argv: ['sh', '-c', script] }));
  await run('echo kept > /data/lines');
  const place = { engine: view.engine, serverId: server.id, volume: `${uid}-data` };
  const archive = await readVolume(place, async (content) => Buffer.concat(await content.toArray()));
  await run('rm /data/lines');
  await writeVolume(place, Readable.from([archive]));
  expect(await run('cat /data/lines')).toBe('kept\n');
  // Seen from this node, the volume does not exist.
  expect(await engine.volume(`${uid}-data`)).toBeUndefined();
  expect((await view.engine.containers({ labels: { [label.instance]: uid } }))[0]?.node).toBeUndefined();
});

test.skipIf(!canStartSwarm)(
  'only root on the node of the daemon, and no container, can use a tunnel',
  limit,
  async () => {
    const [, , third] = server.swarm.nodes;
    const id = (await server.cluster.nodes()).find(({ name }) => name === third?.name)?.id ?? '';
    const socket = await tunnels.socketOf(id);
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    // Its relay mounts this folder, and reaches no other tunnel.
    expect(readdirSync(dirname(socket))).toEqual(['socket']);
    expect(statSync(join(folder.path, 'nodes')).mode & 0o777).toBe(0o700);
    const { socketPath } = server.swarm.nodes[0];
    const joined = startProcess([
      ...(['docker', '-H', `unix://${socketPath}`, 'run', '--rm', '--network', 'hortus_tunnel'] as const),
      ...[server.image, 'true'],
    ]);
    expect((await joined.exited).code).not.toBe(0);
    expect(joined.output).toMatch(/not manually attachable/);
  },
);

test.skipIf(!canStartSwarm)('a component on the network of another node is refused by name', limit, async () => {
  const uid = server.newUid();
  const placement = { constraints: { far: 'true' } };
  const app = component('app', { image: server.image, command: ['sleep', '100000'], placement, network: 'host' });
  expect((await server.deploy(uid, [app])).status).toBe('success');
  const find = () => runningContainer(engine, uid, 'app', true);
  const facts = await until(find, { describe: 'its task' });
  await using ways = new Ways(() => expect.fail('a relay'));
  const refusal = `app uses the network of node ${server.swarm.nodes[2]?.name}, whose ports this daemon does not reach.`;
  await expect(ways.to(facts, 80)).rejects.toThrow(refusal);
});

test.skipIf(!canStartSwarm)(
  'an idle tunnel is closed with its keys, unless an action is unfinished',
  limit,
  async () => {
    const task = await deployFar(server.newUid());
    const socket = await tunnels.socketOf(task.node);
    expect(await parts()).toHaveLength(2);
    isBusy = true;
    await tunnels.closeIdle(0);
    isBusy = false;
    expect(await parts()).toHaveLength(2);
    const open = await engine.attach(task.containerId, { argv: ['sh'], env: {} });
    await tunnels.closeIdle(0);
    expect(await parts()).toHaveLength(2);
    open.detach();
    await tunnels.closeIdle(60_000);
    expect(await parts()).toHaveLength(2);
    await tunnels.closeIdle(0);
    expect([await parts(), await secrets(), existsSync(socket)]).toEqual([[], [], false]);
    // The next use opens another one, and the next leader closes it.
    expect(await outputOf(await engine.exec(task.containerId, { argv: ['echo', 'again'] }))).toBe('again\n');
    await tunnels.closeAll();
    expect([await parts(), await secrets()]).toEqual([[], []]);
  },
);
