// Runs between the tests and their Swarm, like docker-keeper.ts for one engine: each node is a Docker engine in namespaces of
// its own, so ending its first process ends everything in it. Cleans up when its standard input closes.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askDocker, readDocker } from './docker-request.ts';
import { removeEngineFolder } from './engine-remains.ts';
import type { SwarmOptions } from './swarm.ts';
import { inNetwork, startNodeProcess } from './swarm-node-process.ts';
import {
  createNetworks,
  hubAddress,
  hubName,
  nodeAddress,
  nodeNamespace,
  removeAbandonedNetworks,
  removeNetworks,
} from './swarm-nodes.ts';
import { until } from './until.ts';

const folder = process.argv[2] as string;
const { nodes: count = 1, managers = 1 } = JSON.parse(process.argv[3] ?? '{}') as SwarmOptions;
const owner = process.pid;
const registry = `${hubAddress}:5000`;
const numbers = Array.from({ length: count }, (_, index) => index + 1);
const children: ChildProcess[] = [];

// Ignore signals for the tests; this process ends after them.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.stdout.on('error', () => {});
const asked = once(process.stdin.resume(), 'close');

try {
  removeAbandonedNetworks();
  createNetworks(owner, count);
  mkdirSync(folder, { recursive: true });
  startRegistry();
  const nodes = await Promise.all(numbers.map(startNode));
  await formSwarm();
  writeFileSync(join(folder, 'swarm.json'), JSON.stringify({ registry, nodes }));
  process.stdout.write('ready\n');
  await asked;
} catch (error) {
  process.stdout.write(`${String(error).replaceAll('\n', ' | ')}\n`);
  process.exitCode = 1;
} finally {
  await clearUp();
}

/** Serves the images of all nodes; part of no node, so that it survives the loss of each. */
function startRegistry() {
  const config = join(folder, 'registry.yml');
  const storage = { filesystem: { rootdirectory: join(folder, 'images') }, delete: { enabled: true } };
  // JSON is valid YAML.
  const log = { level: 'warn', accesslog: { disabled: true } };
  writeFileSync(config, JSON.stringify({ version: 0.1, log, storage, http: { addr: registry } }));
  children.push(inNetwork(hubName(owner), ['docker-registry', 'serve', config], join(folder, 'registry.log')));
}

async function startNode(number: number) {
  const place = join(folder, `n${number}`);
  const name = `n${number}`;
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'empty.json'), '{}');
  const namespace = nodeNamespace(owner, number);
  const child = await startNodeProcess({ name, place, namespace, registry }, (process) => children.push(process));
  return { name, socketPath: join(place, 'docker.sock'), address: nodeAddress(number), namespace, pid: child.pid };
}

/** The first node leads; the next `managers - 1` are managers too, the others workers. */
async function formSwarm() {
  const socketOf = (number: number) => join(folder, `n${number}`, 'docker.sock');
  const addresses = (number: number) => ({
    AdvertiseAddr: nodeAddress(number),
    ListenAddr: `${nodeAddress(number)}:2377`,
  });
  await change(socketOf(1), '/swarm/init', addresses(1));
  type Tokens = { JoinTokens: { Manager: string; Worker: string } };
  const { JoinTokens } = await readDocker<Tokens>(socketOf(1), '/swarm');
  for (const number of numbers.slice(1)) {
    const JoinToken = number <= managers ? JoinTokens.Manager : JoinTokens.Worker;
    const RemoteAddrs = [`${nodeAddress(1)}:2377`];
    await change(socketOf(number), '/swarm/join', { ...addresses(number), RemoteAddrs, JoinToken });
  }
  type Node = { Status: { State: string }; ManagerStatus?: { Reachability?: string } | null };
  const isWhole = async () => {
    const found = await readDocker<Node[]>(socketOf(1), '/nodes');
    const reachable = found.filter(({ ManagerStatus }) => ManagerStatus?.Reachability === 'reachable');
    return found.filter(({ Status }) => Status.State === 'ready').length === count && reachable.length === managers;
  };
  await until(isWhole, { describe: 'every node to be ready', within: 60_000 });
}

async function change(socketPath: string, path: string, body: object) {
  const { status, text } = await askDocker(socketPath, 'POST', path, body);
  if (status >= 300) throw new Error(`POST ${path} returned status ${status}: ${text}`);
}

async function clearUp() {
  await Promise.all(
    children.map(async (child) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    }),
  );
  removeNetworks(owner);
  removeEngineFolder(folder);
}
