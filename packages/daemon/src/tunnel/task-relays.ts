import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BackoffTimes } from '@hortus/contract/runtime/backoff';
import { Backoff } from '../concurrency/backoff.ts';
import type { Cluster, MountedSecret } from '../engine/cluster.ts';
import type { Engine } from '../engine/engine.ts';
import { EngineProblem, isEngineProblem } from '../engine/engine-problem.ts';
import type { Relay, TaskPort } from '../instances/ways.ts';
import type { Log } from '../log.ts';
import { label } from '../plan/labels.ts';
import { networkName } from '../plan/names.ts';
import { fetchImage } from '../pull/fetch-image.ts';
import { pinnedImage } from '../swarm/pinned-image.ts';
import { pinTo } from '../swarm/pins.ts';
import { removeRelays } from '../swarm/relay-removal.ts';
import { taskSettings } from './relay-settings.ts';
import { relayContainer, SETTINGS_FILE, SOCKET_NAME, SOCKETS_FOLDER, socketFolder } from './tunnel-services.ts';

export interface TaskRelaysOptions {
  cluster: Cluster;
  /** Engine of this node, which pulls the image first. */
  engine: Engine;
  /** Image of HAProxy. */
  image: string;
  /** Parent of the folders of the sockets; only root may enter it. */
  folder: string;
  serverId(): string;
  log: Log;
  /** Pauses between the attempts of a sweep. */
  sweepTimes?: BackoffTimes;
}

/** Time for this node to start a relay. */
const TIMEOUT_MS = 60_000;
const POLL_EVERY_MS = 100;
/** Attempts of a sweep; after that, relays are removed with the network of their instance. */
const MAX_SWEEPS = 10;

/**
 * Reaches ports of tasks on other nodes and on internal networks. The network of an instance spans all nodes, but only containers
 * reach it: HAProxy on this node joins it for some calls, and offers a socket to this daemon. The engine of the other node is not
 * involved. Each relay has a folder of its own, because HAProxy can use every socket in the folder that it mounts.
 */
export class TaskRelays {
  readonly #options: TaskRelaysOptions;
  /** Names of the relays of this process. */
  readonly #open = new Set<string>();
  #sweeping = new AbortController();

  constructor(options: TaskRelaysOptions) {
    this.#options = options;
  }

  /** Forgets the sockets of a killed process; its relays are removed by the next leader. */
  start(): void {
    rmSync(this.#options.folder, { recursive: true, force: true });
  }

  stop(): void {
    this.#sweeping.abort();
  }

  /** Opens a relay that leads to the port until it is disposed of. */
  async open(to: TaskPort, signal?: AbortSignal): Promise<Relay> {
    const name = `hortus_relay_${randomBytes(6).toString('hex')}`;
    this.#open.add(name);
    try {
      await this.#create(name, to, signal);
      await this.#offers(name, to, signal);
    } catch (error) {
      await this.#close(name);
      throw error;
    }
    return { socketPath: this.#socket(name), [Symbol.asyncDispose]: () => this.#close(name) };
  }

  /** Removes what a killed process or another member left. Repeats failed attempts, unless this daemon leads no more. */
  async sweep(): Promise<void> {
    const { log, sweepTimes = { firstMs: 1_000, maxMs: 60_000 } } = this.#options;
    this.#sweeping.abort();
    this.#sweeping = new AbortController();
    const { signal } = this.#sweeping;
    const backoff = new Backoff(sweepTimes);
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        return await this.#removeLeftover();
      } catch (error) {
        log.warn({ attempt, err: error }, 'relays to tasks could not be removed');
        if (attempt >= MAX_SWEEPS || isFenced(error)) return;
        await sleep(backoff.next(), undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
  }

  /** A relay that does not end keeps none of the others. */
  async #removeLeftover(): Promise<void> {
    const { cluster, serverId } = this.#options;
    const labels = { [label.server]: serverId(), [label.taskRelay]: true } as const;
    const left = await Promise.all([cluster.services({ labels }), cluster.contents('secrets', { labels })]);
    const names = new Set(left.flat().map((item) => item.labels[label.taskRelay] ?? ''));
    const closed = [...names].filter((name) => !this.#open.has(name));
    const ends = await Promise.allSettled(closed.map((name) => removeRelays(cluster, { [label.taskRelay]: name })));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  /** Never throws: the call has its result, and the next leader removes what this one may not remove any more. */
  async #close(name: string): Promise<void> {
    const { cluster, log } = this.#options;
    this.#open.delete(name);
    try {
      await removeRelays(cluster, { [label.taskRelay]: name });
    } catch (error) {
      log.warn({ relay: name, err: error }, 'a relay to a task could not be removed');
      if (!isFenced(error)) void this.sweep();
    } finally {
      rmSync(this.#folder(name), { recursive: true, force: true });
    }
  }

  async #create(name: string, { uid, task, port }: TaskPort, signal?: AbortSignal): Promise<void> {
    const { cluster, engine, image, serverId } = this.#options;
    const here = await cluster.membership();
    if (here === undefined) throw problem(task, 'this engine is not part of a Swarm');
    await fetchImage(image, { engine, logins: [], renew: false, ...(signal && { signal }) });
    signal?.throwIfAborted();
    mkdirSync(this.#folder(name), { recursive: true, mode: 0o700 });
    // With the instance, whose release removes its relays.
    const labels = { [label.server]: serverId(), [label.instance]: uid, [label.taskRelay]: name };
    const settings = taskSettings(`${SOCKETS_FOLDER}/${SOCKET_NAME}`, task, port);
    const id = await cluster.createContent('secrets', { name, labels, data: Buffer.from(settings) });
    const files: MountedSecret[] = [{ id, name, path: SETTINGS_FILE, mode: '0400' }];
    await cluster.createService({
      labels,
      container: relayContainer({
        name,
        image: await pinnedImage(engine, image),
        labels,
        network: networkName(uid),
        mount: { kind: 'host', path: this.#folder(name), target: SOCKETS_FOLDER, readOnly: false },
      }),
      files,
      mode: { kind: 'replicated', replicas: 1 },
      constraints: [pinTo(here.nodeId)],
    });
  }

  /** HAProxy gives a socket its name once it listens. */
  async #offers(name: string, { task }: TaskPort, signal?: AbortSignal): Promise<void> {
    for (const end = performance.now() + TIMEOUT_MS; !existsSync(this.#socket(name)); ) {
      if (performance.now() > end) {
        const tasks = await this.#options.cluster.tasks({ labels: { [label.taskRelay]: name } });
        const said = [...new Set(tasks.flatMap(({ error }) => (error === '' ? [] : [error])))].join('; ');
        throw problem(task, `the relay to it did not start within ${TIMEOUT_MS / 1_000} s${said && ` (${said})`}`);
      }
      await sleep(POLL_EVERY_MS, undefined, signal && { signal });
    }
  }

  #folder(name: string): string {
    return socketFolder(this.#options.folder, name);
  }

  #socket(name: string): string {
    return join(this.#folder(name), SOCKET_NAME);
  }
}

/** Whether another member leads now. */
const isFenced = (error: unknown): boolean => isEngineProblem(error, 'aborted');

const problem = (task: string, detail: string): EngineProblem =>
  new EngineProblem({ operation: `reach task ${task}`, kind: 'unreachable', detail });
