// Runs between the tests and their Swarm, like docker-keeper.ts for one engine: each node is a Docker engine in namespaces of
// its own, so ending its first process ends everything in it. Cleans up when its standard input closes.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askDocker, readDocker } from './docker-request.ts';
import { removeEngineFolder } from './engine-remains.ts';
import { endingWithParent } from './orphan.ts';
import type { SwarmOptions } from './swarm.ts';
import {
  createNetworks,
  hubAddress,
  hubName,
  namespacePath,
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
const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };

/**
 * Starts bash as the first process of a PID namespace, with the engine as its child: a first process must collect the exit
 * codes of orphans, and dockerd does not. /run is private because every engine writes there.
 */
const NODE_SCRIPT = `set -e
mount -t tmpfs tmpfs /run
hostname "$1"; shift
dockerd "$@" & engine=$!
while kill -0 $engine; do wait -n || true; done`;

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
  inNetwork(hubName(owner), ['docker-registry', 'serve', config], join(folder, 'registry.log'));
}

async function startNode(number: number) {
  const place = join(folder, `n${number}`);
  const name = `n${number}`;
  mkdirSync(place, { recursive: true });
  const [socketPath, log] = [join(place, 'docker.sock'), join(place, 'log')];
  writeFileSync(join(place, 'empty.json'), '{}');
  const namespace = nodeNamespace(owner, number);
  const child = inNetwork(
    namespace,
    [
      ...['unshare', '--mount', '--pid', '--uts', '--fork', '--kill-child=KILL', '--mount-proc'],
      ...['bash', '-c', NODE_SCRIPT, 'node', name],
      ...['--data-root', join(place, 'data'), '--exec-root', '/run/docker', '--pidfile', '/run/docker.pid'],
      // The second one is where every node of a Swarm has its socket; /run is its own.
      ...[
        '--host',
        `unix://${socketPath}`,
        '--host',
        'unix:///run/docker.sock',
        '--cgroup-parent',
        `/${namespace}`,
        '--storage-driver',
        'overlay2',
      ],
      ...['--config-file', join(place, 'empty.json'), '--insecure-registry', registry, '--log-level', 'warn'],
    ],
    log,
  );
  await until(
    async () => {
      if (child.exitCode !== null) throw new Error(`node ${name} ended`);
      return (await askDocker(socketPath, 'GET', '/_ping')).status === 200;
    },
    { every: 20, describe: () => `node ${name} to answer; its log:\n${readFileSync(log, 'utf8').slice(-3_000)}` },
  );
  return { name, socketPath, address: nodeAddress(number), namespace, pid: child.pid };
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

/** Uses nsenter, because `ip netns exec` mounts another /sys, without the control groups. */
function inNetwork(namespace: string, argv: readonly string[], log: string): ChildProcess {
  const output = openSync(log, 'a');
  const [command, ...args] = endingWithParent(['nsenter', `--net=${namespacePath(namespace)}`, ...argv], 'SIGKILL') as [
    string,
    ...string[],
  ];
  const child = spawn(command, args, { stdio: ['ignore', output, output], detached: true, env });
  children.push(child);
  return child;
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
