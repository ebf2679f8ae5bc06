import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster, MountedSecret } from '../engine/cluster.ts';
import type { Engine } from '../engine/engine.ts';
import { EngineProblem } from '../engine/engine-problem.ts';
import type { TaskPort } from '../instances/callee.ts';
import type { Log } from '../log.ts';
import { label } from '../plan/labels.ts';
import { networkName } from '../plan/names.ts';
import { fetchImage } from '../pull/fetch-image.ts';
import { pinnedImage } from '../swarm/pinned-image.ts';
import { pinTo } from '../swarm/pins.ts';
import { tasksEnded } from '../swarm/tasks-ended.ts';
import { taskSettings } from './relay-settings.ts';
import { relayContainer, SETTINGS_FILE, SOCKETS_FOLDER, socketName } from './tunnel-services.ts';

export interface TaskRelaysOptions {
  cluster: Cluster;
  /** Engine of this node, which pulls the image first. */
  engine: Engine;
  /** Image of HAProxy. */
  image: string;
  /** Folder of the sockets; only root may enter it. */
  folder: string;
  serverId(): string;
  log: Log;
}

/** Time for this node to start a relay. */
const PATIENCE_MS = 60_000;
/** Time for a removed relay to end; its network cannot be removed before. */
const END_MS = 10_000;
const LOOK_EVERY_MS = 100;

/**
 * Reaches ports of tasks on other nodes and on internal networks. The network of an instance spans all nodes, but only containers reach it: HAProxy
 * on this node joins it for one call, and offers a socket to this daemon. The engine of the other node is not involved.
 */
export class TaskRelays {
  readonly #options: TaskRelaysOptions;
  /** Names of the relays of this process. */
  readonly #open = new Set<string>();

  constructor(options: TaskRelaysOptions) {
    this.#options = options;
  }

  /** Calls `use` with a socket that leads to the port. The relay is removed afterwards. */
  async with<Result>(to: TaskPort, use: (socketPath: string) => Promise<Result>): Promise<Result> {
    const name = `hortus_relay_${randomBytes(6).toString('hex')}`;
    const socket = join(resolve(this.#options.folder), socketName(name));
    this.#open.add(name);
    try {
      await this.#create(name, to);
      await this.#offers(socket, name, to);
      return await use(socket);
    } finally {
      this.#open.delete(name);
      await this.#tryToRemove(name);
      rmSync(socket, { force: true });
    }
  }

  /** Removes what a killed process or another member left. */
  async sweep(): Promise<void> {
    const { cluster, serverId } = this.#options;
    const labels = { [label.server]: serverId(), [label.taskRelay]: true } as const;
    const left = await Promise.all([cluster.services({ labels }), cluster.contents('secrets', { labels })]);
    const names = new Set(left.flat().map((one) => one.labels[label.taskRelay] ?? ''));
    await Promise.all([...names].filter((name) => !this.#open.has(name)).map((name) => this.#tryToRemove(name)));
  }

  /** A relay whose node is lost does not end; the others are removed all the same. */
  async #tryToRemove(name: string): Promise<void> {
    await this.#remove(name).catch((error: Error) =>
      this.#options.log.warn('a relay to a task could not be removed', { relay: name, error }),
    );
  }

  async #create(name: string, { uid, task, port }: TaskPort): Promise<void> {
    const { cluster, engine, image, serverId } = this.#options;
    // Outside of a container a bind mount needs an absolute path.
    const folder = resolve(this.#options.folder);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const here = await cluster.membership();
    if (here === undefined) throw problem(task, 'this engine is not part of a Swarm');
    await fetchImage(image, { engine, logins: [], renew: false });
    // With the instance, so that its release waits for the end of the relay.
    const labels = { [label.server]: serverId(), [label.instance]: uid, [label.taskRelay]: name };
    const settings = taskSettings(`${SOCKETS_FOLDER}/${socketName(name)}`, task, port);
    const id = await cluster.createContent('secrets', { name, labels, data: Buffer.from(settings) });
    const files: MountedSecret[] = [{ id, name, path: SETTINGS_FILE, mode: '0400' }];
    await cluster.createService({
      labels,
      container: relayContainer({
        name,
        image: await pinnedImage(engine, image),
        labels,
        network: networkName(uid),
        mount: { kind: 'host', path: folder, target: SOCKETS_FOLDER, readOnly: false },
      }),
      files,
      mode: { kind: 'replicated', replicas: 1 },
      constraints: [pinTo(here.nodeId)],
    });
  }

  /** HAProxy gives a socket its name once it listens. */
  async #offers(socket: string, name: string, { task }: TaskPort): Promise<void> {
    for (const end = performance.now() + PATIENCE_MS; !existsSync(socket); ) {
      if (performance.now() > end) {
        const tasks = await this.#options.cluster.tasks({ labels: { [label.taskRelay]: name } });
        const said = [...new Set(tasks.flatMap(({ error }) => (error === '' ? [] : [error])))].join('; ');
        throw problem(task, `the relay to it did not start within ${PATIENCE_MS / 1_000} s${said && ` (${said})`}`);
      }
      await sleep(LOOK_EVERY_MS);
    }
  }

  async #remove(name: string): Promise<void> {
    const { cluster } = this.#options;
    const labels = { [label.taskRelay]: name };
    for (const { id } of await cluster.services({ labels })) await cluster.removeService(id);
    await tasksEnded(cluster, { labels }, END_MS);
    for (const { id } of await cluster.contents('secrets', { labels })) await cluster.removeContent('secrets', id);
  }
}

const problem = (task: string, detail: string): EngineProblem =>
  new EngineProblem({ operation: `reach task ${task}`, kind: 'unreachable', detail });
