import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeStandIn } from './debian-images.ts';
import { askDocker, readDocker } from './docker-request.ts';
import { keepEngine } from './engine-keeper.ts';
import { busyboxImage, type ImageOptions } from './images.ts';
import { endingWithParent } from './orphan.ts';
import { type RunningProcess, startProcess } from './process.ts';
import { type RelayEnd, relay } from './relay.ts';
import { startNodeProcess } from './swarm-node-process.ts';
import { namespacePath } from './swarm-nodes.ts';

export interface SwarmOptions {
  nodes?: 1 | 3;
  /** How many of the nodes are managers. */
  managers?: 1 | 3;
}

export interface SwarmNode {
  /** Host name. */
  readonly name: string;
  readonly socketPath: string;
  /** Address on the network of the nodes, which only they see. */
  readonly address: string;
  /** Command prefix that runs a command on the network of the node. */
  readonly prefix: readonly [string, ...string[]];
  /** Command prefix that runs a command on the node, among its processes. SIGTERM ends it without a warning. */
  readonly inside: readonly [string, ...string[]];
  /** Kills all its processes at once, as a power failure would. */
  kill(): void;
  /** Starts it again with the same data after it was killed. */
  start(): Promise<void>;
}

export interface Swarm extends AsyncDisposable {
  /** The first node leads. */
  readonly nodes: readonly [SwarmNode, ...SwarmNode[]];
  /** Registry that every node trusts. */
  readonly registry: string;
  /** Builds a busybox image, pushes it to the registry, and returns its reference. */
  publish(name: string, image?: ImageOptions): Promise<string>;
  /** Does the same with the stand-in for a published image, such as `docker.io/library/postgres:17`. */
  publishStandIn(published: string): Promise<string>;
  stop(): Promise<void>;
}

/** Only root can create namespaces. */
export const canStartSwarm = process.getuid?.() === 0;

/**
 * Starts a Docker Swarm of real engines on this machine, each in network, process and mount namespaces of its own. Leaves no
 * trace, even if this process is killed.
 */
export async function startSwarm(options: SwarmOptions = {}): Promise<Swarm> {
  const kept = await keepEngine('swarm', options);
  const { registry, nodes } = JSON.parse(readFileSync(join(dirname(kept.socketPath), 'swarm.json'), 'utf8')) as {
    registry: string;
    nodes: { name: string; socketPath: string; address: string; namespace: string; pid: number }[];
  };
  const restarted: ChildProcess[] = [];
  const [first, ...others] = nodes.map(({ namespace, pid: firstPid, ...node }): SwarmNode => {
    let pid = firstPid;
    return {
      ...node,
      prefix: ['nsenter', `--net=${namespacePath(namespace)}`],
      get inside(): SwarmNode['inside'] {
        return [
          'nsenter',
          ...['--target', String(firstProcess(pid)), '--net', '--pid', '--mount', '--uts'],
          // Its own process waits in the middle, and its death has to be that of the command.
          ...endingWithParent([], 'SIGKILL'),
        ];
      },
      kill: () => process.kill(pid, 'SIGKILL'),
      async start() {
        const place = { name: node.name, place: dirname(node.socketPath), namespace, registry };
        pid = (await startNodeProcess(place, (child) => restarted.push(child))).pid ?? 0;
      },
    };
  });
  if (first === undefined) throw new Error('The Swarm has no node');
  const stop = async () => {
    await Promise.all(restarted.map(killed));
    await kept.stop();
  };
  return {
    nodes: [first, ...others],
    registry,
    publish: async (name, image = {}) => {
      await busyboxImage(first.socketPath, `${registry}/${name}`, image);
      return await push(first.socketPath, `${registry}/${name}`);
    },
    publishStandIn: async (published) => {
      const ref = `${registry}/${published.split('/').at(-1)}`;
      await makeStandIn(first.socketPath, published, ref);
      return await push(first.socketPath, ref);
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** First process of the node; its parent has only created the namespaces. */
const firstProcess = (pid: number): number => Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());

async function push(socketPath: string, ref: string): Promise<string> {
  const pushing = startProcess(['docker', '-H', `unix://${socketPath}`, 'push', '--quiet', ref]);
  const { code } = await pushing.exited;
  if (code !== 0) throw new Error(`Pushing ${ref} failed: ${pushing.output}`);
  // Other nodes have only what they pulled.
  await askDocker(socketPath, 'DELETE', `/images/${ref}`);
  return ref;
}

export interface PortForward extends AsyncDisposable {
  /** Unix socket whose connections go to the port. */
  readonly socketPath: string;
  readonly process: RunningProcess;
}

/** Makes a port on the network of the nodes reachable from this machine. Connections start at `from`. */
export async function openPortForward(
  from: SwarmNode,
  to: Pick<SwarmNode, 'address'>,
  port: number,
): Promise<PortForward> {
  const path = join(dirname(from.socketPath), `gate-${to.address}-${port}.sock`);
  return await startPortForward(from, { socketPath: path, from: { path }, to: { host: to.address, port } });
}

/** Makes a port of this machine's loopback address reachable on that of a node, under the same number. */
export async function letIn(node: SwarmNode, port: number): Promise<AsyncDisposable> {
  const path = join(dirname(node.socketPath), `in-${port}.sock`);
  const host = '127.0.0.1';
  const outer = await relay({ path }, { host, port });
  const gate = await startPortForward(node, { socketPath: path, from: { host, port }, to: { path } });
  return {
    async [Symbol.asyncDispose]() {
      await gate[Symbol.asyncDispose]();
      await outer[Symbol.asyncDispose]();
    },
  };
}

interface Way {
  readonly socketPath: string;
  readonly from: RelayEnd;
  readonly to: RelayEnd;
}

/** Relays connections from inside the network of a node. */
async function startPortForward(node: SwarmNode, { socketPath, from, to }: Way): Promise<PortForward> {
  const script = join(import.meta.dirname, 'swarm-gate.ts');
  const ends = [from, to].map((end) => JSON.stringify(end));
  const gate = startProcess([...node.prefix, process.execPath, script, ...ends]);
  await gate.waitForLine('open');
  return {
    socketPath,
    process: gate,
    [Symbol.asyncDispose]: async () => {
      await gate.kill();
    },
  };
}

/** Tasks of a service, as its manager reports them. */
export interface ListedTask {
  ID: string;
  NodeID?: string;
  Slot?: number;
  DesiredState: string;
  Status: { State: string; Err?: string };
}

export async function tasksOf(socketPath: string, service: string): Promise<ListedTask[]> {
  const filters = encodeURIComponent(JSON.stringify({ service: [service] }));
  return await readDocker<ListedTask[]>(socketPath, `/tasks?filters=${filters}`);
}
