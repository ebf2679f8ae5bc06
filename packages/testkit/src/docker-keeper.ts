// Runs between the tests and their Docker engine. A killed engine leaves containers, bridges and mounts behind, so this
// process outlives the tests and cleans up when its standard input closes.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { endAbandonedProcesses } from './abandoned-processes.ts';
import type { DockerOptions } from './docker.ts';
import { askDocker, readDocker } from './docker-request.ts';
import {
  endEngine,
  endProcessesOf,
  ignoringFailure,
  removeBridge,
  removeBridgesOf,
  removeEngineFolder,
  system,
} from './engine-remains.ts';
import { freeSubnet } from './free-subnet.ts';
import { endingWithParent } from './orphan.ts';
import { until } from './until.ts';

const folder = process.argv[2] as string;
const { dataRoot = join(folder, 'data'), restarts = false } = JSON.parse(process.argv[3] ?? '{}') as DockerOptions;
const socket = join(folder, 'docker.sock');
const log = join(folder, 'log');
const bridgePrefix = 'hortus';
const bridge = `${bridgePrefix}${process.pid}`;

// Ignore signals for the tests; this process ends after them.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.stdout.on('error', () => {});
let isAsked = false;
const asked = once(process.stdin.resume(), 'close').then(() => {
  isAsked = true;
});

let net = '';
let packetRule: string[] | undefined;
let engine: ChildProcess | undefined;
try {
  setUpNetwork();
  engine = await startEngine();
  process.stdout.write('ready\n');
  await Promise.race([asked, once(engine, 'exit')]);
  while (restarts && !isAsked) {
    // Without a reaper, the engine would take its dead containerd for a running one.
    rmSync(join(folder, 'exec/containerd/containerd.pid'), { force: true });
    engine = await startEngine();
    await Promise.race([asked, once(engine, 'exit')]);
  }
} catch (error) {
  process.stdout.write(`${String(error)}\n`);
  process.exitCode = 1;
} finally {
  await clearUp();
}

function setUpNetwork() {
  removeAbandonedBridges();
  mkdirSync(folder, { recursive: true });
  net = freeSubnet();
  packetRule = ['FORWARD', '--source', `${net}.0.0/16`, '--destination', `${net}.0.0/16`, '--jump', 'ACCEPT'];
  system('iptables', '--wait', '--insert', ...packetRule);
  ip('link', 'add', bridge, 'type', 'bridge');
  ip('addr', 'add', `${net}.255.1/24`, 'dev', bridge);
  ip('link', 'set', bridge, 'up');
}

async function startEngine(): Promise<ChildProcess> {
  const output = openSync(log, 'a');
  const [command, ...args] = endingWithParent(
    [
      'dockerd',
      ...['--data-root', dataRoot, '--exec-root', join(folder, 'exec'), '--pidfile', join(folder, 'pid')],
      ...['--host', `unix://${socket}`, '--bridge', bridge, '--default-address-pool', `base=${net}.0.0/16,size=24`],
      // An engine that manages iptables starts by wiping the rules of other engines. Published ports work without it,
      // and one rule of ours lets containers talk to each other.
      ...['--iptables=false', '--ip6tables=false', '--shutdown-timeout', '2', '--log-level', 'warn'],
    ],
    'SIGTERM',
  ) as [string, ...string[]];
  const child = spawn(command, args, {
    stdio: ['ignore', output, output],
    detached: true,
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` },
  });
  await until(
    async () => {
      if (child.exitCode !== null) throw new Error('dockerd ended');
      return (await askDocker(socket, 'GET', '/_ping')).status === 200;
    },
    {
      every: 20,
      describe: () => `dockerd to answer; its log:\n${readFileSync(log, 'utf8').slice(-3_000)}`,
    },
  );
  return child;
}

async function clearUp() {
  await emptyEngine().catch(() => {});
  endAbandonedProcesses();
  await endEngine(engine);
  endProcessesOf(folder);
  removeBridgesOf(dataRoot);
  removeBridge(bridge);
  ignoringFailure(() => packetRule && system('iptables', '--wait', '--delete', ...packetRule));
  removeEngineFolder(folder);
}

/** Removes containers and networks, which an engine keeps across its own end. */
async function emptyEngine() {
  const containers = await readDocker<{ Id: string }[]>(socket, '/containers/json?all=true');
  await Promise.all(containers.map(({ Id }) => askDocker(socket, 'DELETE', `/containers/${Id}?force=true&v=true`)));
  // Docker reports a container as removed before its endpoint is; until then its network cannot be removed.
  const isEmpty = async () => {
    await askDocker(socket, 'POST', '/networks/prune');
    const networks = await readDocker<{ Name: string }[]>(socket, '/networks?filters={"type":["custom"]}');
    return networks.length === 0;
  };
  await until(isEmpty, { describe: 'the networks to be removed', within: 30_000 });
}

function removeAbandonedBridges() {
  for (const name of readdirSync('/sys/class/net')) {
    const owner = new RegExp(`^${bridgePrefix}(\\d+)$`).exec(name)?.[1];
    if (owner !== undefined && !readdirSync('/proc').includes(owner)) removeBridge(name);
  }
}

function ip(...args: string[]) {
  system('ip', ...args);
}
