import { type ChildProcess, spawn } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { askDocker } from './docker-request.ts';
import { endingWithParent } from './orphan.ts';
import { namespacePath } from './swarm-nodes.ts';
import { until } from './until.ts';

/**
 * Starts bash as the first process of a PID namespace, with the engine as its child: a first process must collect the exit
 * codes of orphans, and dockerd does not. /run is private because every engine writes there.
 */
const NODE_SCRIPT = `set -e
mount -t tmpfs tmpfs /run
hostname "$1"; shift
dockerd "$@" & engine=$!
while kill -0 $engine; do wait -n || true; done`;

/** A node of a Swarm on the disk of this machine. */
export interface NodePlace {
  readonly name: string;
  /** Folder of its data, its log and its socket. */
  readonly place: string;
  /** Name of its network namespace. */
  readonly namespace: string;
  readonly registry: string;
}

/** Starts the engine of a node, again with the same data, and waits for its response. */
export async function startNodeProcess(
  { name, place, namespace, registry }: NodePlace,
  spawned: (child: ChildProcess) => void,
): Promise<ChildProcess> {
  const [socketPath, log] = [join(place, 'docker.sock'), join(place, 'log')];
  const child = inNetwork(
    namespace,
    [
      ...['unshare', '--mount', '--pid', '--uts', '--fork', '--kill-child=KILL', '--mount-proc'],
      ...['bash', '-c', NODE_SCRIPT, 'node', name],
      ...['--data-root', join(place, 'data'), '--exec-root', '/run/docker', '--pidfile', '/run/docker.pid'],
      // The second one is where every node of a Swarm has its socket; /run is its own.
      ...['--host', `unix://${socketPath}`, '--host', 'unix:///run/docker.sock'],
      ...['--cgroup-parent', `/${namespace}`, '--storage-driver', 'overlay2'],
      ...['--config-file', join(place, 'empty.json'), '--insecure-registry', registry, '--log-level', 'warn'],
    ],
    log,
  );
  spawned(child);
  await until(
    async () => {
      if (child.exitCode !== null) throw new Error(`node ${name} ended`);
      return (await askDocker(socketPath, 'GET', '/_ping')).status === 200;
    },
    { every: 20, describe: () => `node ${name} to answer; its log:\n${readFileSync(log, 'utf8').slice(-3_000)}` },
  );
  return child;
}

/** Uses nsenter, because `ip netns exec` mounts another /sys, without the control groups. */
export function inNetwork(namespace: string, argv: readonly string[], log: string): ChildProcess {
  const output = openSync(log, 'a');
  const [command, ...args] = endingWithParent(['nsenter', `--net=${namespacePath(namespace)}`, ...argv], 'SIGKILL') as [
    string,
    ...string[],
  ];
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
  return spawn(command, args, { stdio: ['ignore', output, output], detached: true, env });
}
