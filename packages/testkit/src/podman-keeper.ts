// Runs between the tests and their Podman, like docker-keeper.ts for Docker: containers of Podman outlive its service,
// so this process outlives the tests and cleans up when its standard input closes.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askDocker } from './docker-request.ts';
import { endEngine, endProcessesOf, ignoringFailure, removeEngineFolder } from './engine-remains.ts';
import { endingWithParent } from './orphan.ts';
import { takeTurn } from './turn.ts';
import { until } from './until.ts';

const folder = process.argv[2] as string;
const socket = join(folder, 'podman.sock');
const log = join(folder, 'log');
const settings = join(folder, 'containers.conf');

/** Separate storage, networks and locks, so that a Podman of the machine is not affected. */
const places = [
  ...['--root', join(folder, 'root'), '--runroot', join(folder, 'run'), '--tmpdir', join(folder, 'tmp')],
  ...['--network-config-dir', join(folder, 'networks')],
];
const env = {
  ...process.env,
  PATH: `${process.env.PATH}:/usr/sbin:/sbin`,
  CONTAINERS_CONF: settings,
};

/** Limits for a small machine; networks apart from those of the test Docker. */
const SETTINGS = `[containers]
default_ulimits = ["nofile=16384:16384", "nproc=16384:16384"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
lock_type = "file"
[network]
default_subnet_pools = [{"base" = "10.251.0.0/16", "size" = 24}]
`;

// Ignore signals for the tests; this process ends after them.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.stdout.on('error', () => {});
const asked = once(process.stdin.resume(), 'close');

let engine: ChildProcess | undefined;
try {
  // One Podman at a time: each picks the first unused bridge name and network, and two at once would pick the same.
  await takeTurn('podman');
  engine = await startEngine();
  process.stdout.write('ready\n');
  await Promise.race([asked, once(engine, 'exit')]);
} catch (error) {
  process.stdout.write(`${String(error).replaceAll('\n', ' | ')}\n`);
  process.exitCode = 1;
} finally {
  await clearUp();
}

async function startEngine(): Promise<ChildProcess> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(settings, SETTINGS);
  const output = openSync(log, 'a');
  const [command, ...args] = endingWithParent(
    ['podman', ...places, 'system', 'service', '--time', '0', `unix://${socket}`],
    'SIGTERM',
  ) as [string, ...string[]];
  const child = spawn(command, args, { stdio: ['ignore', output, output], detached: true, env });
  await until(
    async () => {
      if (child.exitCode !== null) throw new Error('podman ended');
      return (await askDocker(socket, 'GET', '/_ping')).status === 200;
    },
    {
      every: 20,
      describe: () => `podman to answer; its log:\n${readFileSync(log, 'utf8').slice(-3_000)}`,
    },
  );
  return child;
}

async function clearUp() {
  ignoringFailure(() => podman('rm', '--all', '--force', '--time', '0'));
  ignoringFailure(() => podman('network', 'prune', '--force'));
  await endEngine(engine);
  endProcessesOf(folder);
  removeEngineFolder(folder);
}

function podman(...args: string[]) {
  execFileSync('podman', [...places, ...args], { stdio: 'ignore', env, timeout: 60_000 });
}
