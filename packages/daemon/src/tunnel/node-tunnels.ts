import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Serial } from '../concurrency/turns.ts';
import type { Cluster, NodeFacts } from '../engine/cluster.ts';
import { openDockerCluster } from '../engine/docker/docker-cluster.ts';
import type { Engine } from '../engine/engine.ts';
import { EngineProblem } from '../engine/engine-problem.ts';
import { guarded } from '../guard.ts';
import type { Log } from '../log.ts';
import { label } from '../plan/labels.ts';
import { fetchImage } from '../pull/fetch-image.ts';
import { pinnedImage } from '../swarm/pinned-image.ts';
import { type Counted, countedEngine } from './counted-engine.ts';
import {
  SOCKET_NAME,
  socketFolder,
  TUNNEL_NODE,
  TUNNEL_PART,
  type TunnelEnd,
  tunnelEnds,
  tunnelLabels,
  tunnelNetwork,
} from './tunnel-services.ts';

export interface NodeTunnelsOptions {
  cluster: Cluster;
  /** Engine of this node, which pulls the image first. */
  engine: Engine;
  /** Opens the engine behind a socket. */
  open(socketPath: string): Engine;
  /** Image of HAProxy. */
  image: string;
  /** Parent of the folders of the sockets; only root may enter it. */
  folder: string;
  serverId(): string;
  leads(): boolean;
  /** Whether an action of this daemon is unfinished; it may use a tunnel from another process. */
  busy(): boolean;
  log: Log;
  idleMs?: number;
}

const IDLE_MS = 5 * 60_000;
/** Time for both nodes to pull the image and start a relay. */
const TIMEOUT_MS = 120_000;
/** Time for an existing tunnel to respond before it is replaced. */
const RESPONSE_MS = 10_000;
const POLL_EVERY_MS = 200;

/**
 * Reaches the engines of other nodes. A tunnel has two services: the far end mounts the socket of its engine, the near one
 * offers a socket to this daemon; both authenticate each other by TLS on a network that only services of managers can join.
 * Tunnels exist while they are used.
 */
export class NodeTunnels {
  readonly #options: NodeTunnelsOptions;
  readonly #open = new Map<string, Counted>();
  /** When tunnels of an earlier process of this daemon were first seen. */
  readonly #inherited = new Map<string, number>();
  /** Serialises changes. */
  readonly #queue = new Serial();
  #regular: NodeJS.Timeout | undefined;

  constructor(options: NodeTunnelsOptions) {
    this.#options = options;
  }

  start(): void {
    const { log, idleMs = IDLE_MS } = this.#options;
    const sweep = () => this.closeIdle(idleMs);
    this.#regular = setInterval(guarded(log, sweep), Math.min(idleMs, 60_000));
  }

  /** Closes what this daemon does not need while it is stopped. */
  async stop(): Promise<void> {
    clearInterval(this.#regular);
    const { log } = this.#options;
    await this.closeIdle(0).catch((error: Error) => log.warn({ err: error }, 'tunnels to nodes could not be closed'));
    for (const { engine } of this.#open.values()) engine.close();
  }

  /** Engine of another node. Opens a tunnel if there is none. */
  async engineOf(node: string): Promise<Engine> {
    return (await this.#reached(node)).engine;
  }

  /** Socket of the engine of another node, for a process of its own. */
  async socketOf(node: string): Promise<string> {
    await this.#reached(node);
    return this.#socket(node);
  }

  /** Closes tunnels that were not used for this time. Unfinished actions keep all of them. */
  async closeIdle(idleMs: number): Promise<void> {
    const { leads, busy } = this.#options;
    if (!leads() || busy()) return;
    await this.#queue.run(async () => {
      const nodes = new Set((await this.#services()).map(({ labels }) => labels[TUNNEL_NODE] ?? ''));
      for (const node of nodes) {
        const used = this.#open.get(node);
        if (used !== undefined && used.streams() > 0) continue;
        if (performance.now() - (used?.lastUse() ?? this.#firstSeen(node)) >= idleMs) await this.#close(node);
      }
    });
  }

  /** Closes all tunnels, also those of other members: a member that does not lead any more must not reach a node. */
  async closeAll(): Promise<void> {
    await this.#queue.run(async () => {
      for (const { id } of await this.#services()) await this.#options.cluster.removeService(id);
      await this.#removeSecrets();
      for (const node of [...this.#open.keys()]) this.#forget(node);
    });
  }

  async #reached(node: string): Promise<Counted> {
    const known = this.#open.get(node);
    if (known?.responds()) return known;
    return await this.#queue.run(async () => {
      const other = this.#open.get(node);
      if (other?.responds()) return other;
      const facts = await this.#requireReady(node);
      const found = (await this.#services()).filter(({ labels }) => labels[TUNNEL_NODE] === node);
      if (found.length !== 2 || !(await this.#leadsTo(node, RESPONSE_MS))) {
        await this.#close(node);
        await this.#create(node);
        if (!(await this.#leadsTo(node, TIMEOUT_MS))) {
          const why = await this.#trouble(node);
          await this.#close(node);
          throw problem(facts.name, `the tunnel to its engine did not open within ${TIMEOUT_MS / 1_000} s${why}`);
        }
      }
      const opened = this.#opened(node);
      this.#open.set(node, opened);
      return opened;
    });
  }

  async #requireReady(node: string): Promise<NodeFacts> {
    const facts = (await this.#options.cluster.nodes()).find(({ id }) => id === node);
    if (facts === undefined) throw problem(node, 'it left the Swarm');
    if (facts.state !== 'ready') throw problem(facts.name, `it is ${facts.state}`);
    if (facts.availability === 'drain')
      throw problem(facts.name, 'it is drained, so no tunnel can run there; activate it');
    return facts;
  }

  async #create(to: string): Promise<void> {
    const { cluster, engine, image, serverId, log } = this.#options;
    const folder = this.#folder(to);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const here = await cluster.membership();
    if (here === undefined) throw problem(to, 'this engine is not part of a Swarm');
    await fetchImage(image, { engine, logins: [], renew: false });
    await cluster.ensureNetwork(tunnelNetwork(serverId()));
    const ends = { serverId: serverId(), image: await pinnedImage(engine, image), from: here.nodeId, to, folder };
    const { near, far } = tunnelEnds(ends);
    await this.#createEnd(to, far);
    await this.#createEnd(to, near);
    log.info({ node: to }, 'opened a tunnel to the engine of a node');
  }

  async #createEnd(node: string, end: TunnelEnd): Promise<void> {
    const { cluster, serverId } = this.#options;
    const files = [];
    for (const { path, content } of end.files) {
      const name = `hortus-tunnel-${randomBytes(8).toString('hex')}`;
      const labels = tunnelLabels(serverId(), node, 'secret');
      const id = await cluster.createContent('secrets', { name, labels, data: Buffer.from(content) });
      files.push({ id, name, path, mode: '0400' });
    }
    await cluster.createService(end.service(files));
  }

  async #close(node: string): Promise<void> {
    const { cluster } = this.#options;
    this.#forget(node);
    for (const { id, labels } of await this.#services())
      if (labels[TUNNEL_NODE] === node) await cluster.removeService(id);
    await this.#removeSecrets();
    rmSync(this.#folder(node), { recursive: true, force: true });
  }

  #firstSeen(node: string): number {
    const seen = this.#inherited.get(node) ?? performance.now();
    this.#inherited.set(node, seen);
    return seen;
  }

  #forget(node: string): void {
    this.#inherited.delete(node);
    this.#open.get(node)?.engine.close();
    this.#open.delete(node);
  }

  async #removeSecrets(): Promise<void> {
    const { cluster, serverId } = this.#options;
    const used = new Set((await this.#services()).flatMap(({ secrets }) => secrets));
    const labels = { [label.server]: serverId(), [TUNNEL_PART]: 'secret' };
    for (const { id } of await cluster.contents('secrets', { labels }))
      if (!used.has(id)) await cluster.removeContent('secrets', id);
  }

  /** Waits until the engine behind the socket says that it is the node. */
  async #leadsTo(node: string, withinMs: number): Promise<boolean> {
    const other = openDockerCluster({ socketPath: this.#socket(node), timeouts: { quick: 5_000 } });
    try {
      for (const end = performance.now() + withinMs; performance.now() < end; ) {
        const found = await other.membership().catch(() => undefined);
        if (found?.nodeId === node) return true;
        await sleep(POLL_EVERY_MS);
      }
      return false;
    } finally {
      other.close();
    }
  }

  /** What the Swarm says about the tasks of a tunnel. */
  async #trouble(node: string): Promise<string> {
    const tasks = await this.#options.cluster.tasks({ labels: { [TUNNEL_NODE]: node } });
    const said = new Set(tasks.flatMap(({ error }) => (error === '' ? [] : [error])));
    return said.size === 0 ? '' : ` (${[...said].join('; ')})`;
  }

  #opened(node: string): Counted {
    return countedEngine(this.#options.open(this.#socket(node)));
  }

  #services() {
    const labels = { [label.server]: this.#options.serverId(), [TUNNEL_NODE]: true } as const;
    return this.#options.cluster.services({ labels });
  }

  #socket(node: string): string {
    return join(this.#folder(node), SOCKET_NAME);
  }

  #folder(node: string): string {
    return socketFolder(this.#options.folder, node);
  }
}

const problem = (node: string, detail: string): EngineProblem =>
  new EngineProblem({ operation: `reach node ${node}`, kind: 'unreachable', detail });
