import { existsSync, readdirSync } from 'node:fs';
import { request } from 'node:http';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { builtIn } from '@hortus/contract/actions/built-in-actions';
import { openLog } from '@hortus/logging/log';
import { canStartSwarm } from '@hortus/testkit/swarm';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runOnInstance } from '../actions/built-in.ts';
import { startInstance } from '../backup/start-instance.ts';
import { clearTrials, isolate, trialManifest } from '../backup/trial.ts';
import type { Cluster } from '../engine/cluster.ts';
import type { Engine } from '../engine/engine.ts';
import { EngineProblem } from '../engine/engine-problem.ts';
import { runningContainer } from '../instances/instance-containers.ts';
import type { Relay } from '../instances/ways.ts';
import { label } from '../plan/labels.ts';
import { component, manifest } from '../plan/testing/manifests.ts';
import { swarmLifecycle } from '../swarm/lifecycle.ts';
import { swarmEngine } from '../swarm/swarm-engine.ts';
import { SwarmServer, web } from '../swarm/testing/swarm-server.ts';
import { Signer } from '../testing/signing.ts';
import { TaskRelays } from './task-relays.ts';

const limit = { timeout: 240_000 };
const folder = temporaryFolder('relays');
let server: SwarmServer;
let engine: Engine;
let image: string;
let members = 0;

beforeAll(async () => {
  if (!canStartSwarm) return;
  server = await SwarmServer.open();
  engine = swarmEngine(server.engine, server.cluster);
  image = await server.swarm.publish('haproxy:1', { programs: ['haproxy'] });
}, 180_000);

afterAll(async () => {
  await server?.close();
  await folder.remove();
});

/** Relays of a member of the cluster, which knows nothing of those of another. */
const member = (cluster: Cluster = server.cluster): TaskRelays =>
  new TaskRelays({
    cluster,
    engine: server.engine,
    image,
    folder: join(folder.path, `member-${++members}`),
    serverId: () => server.id,
    log: openLog({ level: 'error' }),
    sweepTimes: { firstMs: 10, maxMs: 50 },
  });

/** Opens a relay to the web server of an instance. Without a dispose it is left, as by a killed daemon. */
async function open(relays: TaskRelays, uid: string): Promise<Relay> {
  const find = () => runningContainer(engine, uid, 'web', true);
  const { name } = await until(find, { describe: 'the task of the web server' });
  return await relays.open({ uid, task: name, port: 8080 });
}

async function deploy(uid = server.newUid()): Promise<string> {
  const result = await server.deploy(uid, [component('web', web(server.image))]);
  expect(`${result.status} ${server.said()}`).toMatch(/^success/);
  return uid;
}

function call({ socketPath }: Relay): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ socketPath, path: '/health', agent: false }, (response) => resolve(text(response)));
    outgoing.on('error', reject).end();
  });
}

/** Names of services and secrets of relays. */
async function left(uid: string): Promise<string[]> {
  const labels = { [label.taskRelay]: true, [label.instance]: uid } as const;
  const found = await Promise.all([
    server.cluster.services({ labels }),
    server.cluster.contents('secrets', { labels }),
  ]);
  return found.flat().map(({ name }) => name);
}

test.skipIf(!canStartSwarm)('a relay mounts a folder with nothing but its own socket', limit, async () => {
  const uid = await deploy();
  const relays = member();
  const [relay, other] = [await open(relays, uid), await open(relays, uid)];
  expect([await call(relay), await call(other)]).toEqual(['ok\n', 'ok\n']);
  const mounted = await server.engine.containers({ labels: { [label.taskRelay]: true, [label.instance]: uid } });
  const sources = mounted.flatMap(({ mounts }) => mounts.flatMap(({ source }) => source ?? []));
  const own = [relay, other].map(({ socketPath }) => dirname(socketPath));
  for (const place of own) {
    expect(sources).toContain(place);
    expect(readdirSync(place)).toEqual(['socket']);
  }
  await relay[Symbol.asyncDispose]();
  expect(await call(other)).toBe('ok\n');
  await other[Symbol.asyncDispose]();
  expect([await left(uid), ...own.map((place) => existsSync(place))]).toEqual([[], false, false]);
});

test.skipIf(!canStartSwarm)('an aborted call leaves no relay behind', limit, async () => {
  const uid = await deploy();
  const aborted = new AbortController();
  // HAProxy does not start before it knows the task.
  const opening = member().open({ uid, task: 'missing', port: 80 }, aborted.signal);
  const refused = expect(opening).rejects.toThrow('aborted');
  await until(async () => (await left(uid)).length === 2, { describe: 'the service of the relay' });
  aborted.abort();
  await refused;
  expect(await left(uid)).toEqual([]);
});

test.skipIf(!canStartSwarm)('the next leader removes left relays although its first attempt fails', limit, async () => {
  const uid = await deploy();
  await open(member(), uid);
  expect(await left(uid)).toHaveLength(2);
  let attempts = 0;
  const failing: Cluster = {
    ...server.cluster,
    async removeService(id) {
      if (++attempts === 1) throw new EngineProblem({ operation: 'remove a service', kind: 'timeout', detail: 'busy' });
      await server.cluster.removeService(id);
    },
  };
  const next = member(failing);
  await using used = await open(next, uid);
  await next.sweep();
  expect(attempts).toBe(2);
  // Only its own relay remains, and still works.
  expect([await left(uid), await call(used)]).toMatchObject([{ length: 2 }, 'ok\n']);
});

test.skipIf(!canStartSwarm)('a member that leads no more does not repeat a sweep', limit, async () => {
  const uid = await deploy();
  await using _used = await open(member(), uid);
  let attempts = 0;
  const fenced: Cluster = {
    ...server.cluster,
    async removeService() {
      attempts++;
      throw new EngineProblem({ operation: 'remove a service', kind: 'aborted', detail: 'another member leads' });
    },
  };
  await member(fenced).sweep();
  expect(attempts).toBe(1);
});

test.skipIf(!canStartSwarm)('a relay that could not be removed after its call is removed later', limit, async () => {
  const uid = await deploy();
  let failures = 1;
  const failing: Cluster = {
    ...server.cluster,
    async removeService(id) {
      if (failures-- > 0) throw new EngineProblem({ operation: 'remove a service', kind: 'timeout', detail: 'busy' });
      await server.cluster.removeService(id);
    },
  };
  const relay = await open(member(failing), uid);
  await relay[Symbol.asyncDispose]();
  await until(async () => (await left(uid)).length === 0, { describe: 'the relay to be removed' });
});

test.skipIf(!canStartSwarm)('an isolated copy is cleared with the relay that a lost leader left', limit, async () => {
  const instance = { uid: server.newUid(), name: 'web', server_id: server.id };
  const signed = new Signer().sign(manifest(instance.uid, [component('web', web(server.image))], { instance }));
  const trial = trialManifest(signed);
  const { uid } = trial.instance;
  await isolate(engine, trial);
  const ingress = { routesOf: () => [], taken: () => undefined, lead: async () => undefined, trouble: undefined };
  await startInstance({ engine, cluster: server.cluster, ingress, say: () => undefined }, trial, 'trial-1');
  const relay = await open(member(), uid);
  expect(await call(relay)).toBe('ok\n');
  await clearTrials(engine, server.id);
  expect(await left(uid)).toEqual([]);
  expect(await engine.networks({ labels: { [label.instance]: uid } })).toEqual([]);
});

test.skipIf(!canStartSwarm)('a release leaves no relay and no secret of one', limit, async () => {
  const uid = await deploy();
  await open(member(), uid);
  // A daemon that was killed before it created the service.
  const labels = { [label.server]: server.id, [label.instance]: uid, [label.taskRelay]: 'hortus_relay_half' };
  await server.cluster.createContent('secrets', { name: `half-${uid}`, labels, data: Buffer.from('x') });
  expect(await left(uid)).toHaveLength(3);
  const release = swarmLifecycle(server.cluster, async () => ({ engine, cluster: server.cluster }))[builtIn.release];
  const nothing = async () => {};
  const context = { engine, uid, manifest: undefined, params: {}, unroute: nothing, forget: nothing, abandon: nothing };
  const released = release && (await runOnInstance(builtIn.release, release, context));
  expect(released).toMatchObject({ status: 'completed' });
  expect(await left(uid)).toEqual([]);
  expect(await engine.networks({ labels: { [label.instance]: uid } })).toEqual([]);
});
