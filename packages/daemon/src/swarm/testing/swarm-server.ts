import { randomBytes } from 'node:crypto';
import type { Manifest, ManifestComponent } from '@hortus/contract/template/manifest';
import { openLog } from '@hortus/logging/log';
import { startProcess } from '@hortus/testkit/process';
import { type Swarm, type SwarmOptions, startSwarm } from '@hortus/testkit/swarm';
import { until } from '@hortus/testkit/until';
import type { Cluster, TaskFacts } from '../../engine/cluster.ts';
import { openDockerCluster } from '../../engine/docker/docker-cluster.ts';
import { openDockerEngine } from '../../engine/docker/docker-engine.ts';
import type { Engine } from '../../engine/engine.ts';
import type { RolloutResult } from '../../journal/rollout-result.ts';
import { label } from '../../plan/labels.ts';
import { manifest } from '../../plan/testing/manifests.ts';
import type { RolloutLogLine } from '../../rollout/rollout.ts';
import { id } from '../../testing/signing.ts';
import type { AskNode } from '../ingress-nodes.ts';
import { instanceViews } from '../instance-views.ts';
import { SwarmIngress } from '../swarm-ingress.ts';
import { rollOutOnSwarm } from '../swarm-rollout.ts';

/** A Swarm with the daemon's view from its first manager, and a published busybox image. */
export class SwarmServer {
  readonly id = `srv_${randomBytes(6).toString('hex')}`;
  readonly swarm: Swarm;
  readonly cluster: Cluster;
  readonly engine: Engine;
  readonly image: string;
  /** The ingress, if one was opened. */
  ingress: SwarmIngress | undefined;
  log: RolloutLogLine[] = [];
  #deployments = 0;

  private constructor(swarm: Swarm, image: string) {
    const { socketPath } = swarm.nodes[0];
    this.swarm = swarm;
    this.image = image;
    this.cluster = openDockerCluster({ socketPath });
    this.engine = openDockerEngine({ socketPath });
  }

  static async open(options?: SwarmOptions): Promise<SwarmServer> {
    const swarm = await startSwarm(options);
    return new SwarmServer(swarm, await swarm.publish('busybox:1'));
  }

  /** Labels nodes for the ingress, by position, and serves the routes of later deployments there. */
  async openIngress(places: readonly number[], ask: AskNode, httpsPort = 443): Promise<SwarmIngress> {
    const image = await this.swarm.publish('caddy:2', { programs: ['caddy'] });
    await this.label('hortus.ingress=true', places);
    const { cluster, engine, id } = this;
    this.ingress = new SwarmIngress({
      cluster,
      engine,
      image,
      httpPort: 80,
      httpsPort,
      serverId: () => id,
      leads: () => true,
      log: openLog({ level: 'error' }),
      ask,
    });
    return this.ingress;
  }

  async label(text: string, places: readonly number[]): Promise<void> {
    for (const name of places.map((place) => this.swarm.nodes[place]?.name ?? '')) {
      const argv = [
        'docker',
        '-H',
        `unix://${this.swarm.nodes[0].socketPath}`,
        'node',
        'update',
        '--label-add',
        text,
        name,
      ];
      const { code } = await startProcess(argv as [string, ...string[]]).exited;
      if (code !== 0) throw new Error(`node ${name} could not be labelled`);
    }
  }

  newUid(): string {
    return `t${randomBytes(5).toString('hex')}`;
  }

  async deploy(
    uid: string,
    components: ManifestComponent[],
    options: {
      signal?: AbortSignal;
      cluster?: Cluster;
      manifest?: Partial<Manifest>;
      renew?: boolean;
      deploymentId?: string;
      boundary?: (moment: string) => void;
    } = {},
  ): Promise<RolloutResult> {
    this.log = [];
    this.#deployments++;
    return await rollOutOnSwarm(
      {
        deploymentId: options.deploymentId ?? `dep_${this.#deployments}`,
        definitionId: id('def'),
        revision: this.#deployments,
        serverId: this.id,
        manifest: manifest(uid, components, options.manifest),
        renew: options.renew,
      },
      {
        cluster: options.cluster ?? this.cluster,
        engine: this.engine,
        ingress: { cluster: this.ingress },
        viewOf: instanceViews({
          ...{ engine: this.engine, cluster: this.cluster, wrap: (engine) => engine },
          others: { engineOf: (node) => this.engineOf(node) },
        }),
        events: { log: (line) => this.log.push(line), progress: () => {} },
        signal: options.signal ?? new AbortController().signal,
        boundary: options.boundary,
      },
    );
  }

  /** The engine of a node by its id, without a tunnel. */
  async engineOf(node: string): Promise<Engine> {
    const name = (await this.cluster.nodes()).find(({ id }) => id === node)?.name;
    const socketPath = this.swarm.nodes.find((item) => item.name === name)?.socketPath;
    if (socketPath === undefined) throw new Error(`there is no node ${node}`);
    return openDockerEngine({ socketPath });
  }

  said(): string {
    return this.log.map(({ message }) => message).join('\n');
  }

  /** Tasks of an instance that run or should run. */
  async running(uid: string): Promise<TaskFacts[]> {
    const tasks = await this.cluster.tasks({ labels: { [label.instance]: uid } });
    return tasks.filter(({ state, desired }) => state === 'running' && desired === 'running');
  }

  /** Runs a command in the running task of a component on the first node. */
  async run(uid: string, component: string, ...argv: string[]): Promise<string> {
    const task = await until(
      async () => (await this.running(uid)).find(({ labels }) => labels[label.component] === component),
      { describe: `a running task of ${component}` },
    );
    const handle = await this.engine.exec(task.containerId, { argv });
    let text = '';
    for await (const { chunk } of handle.output) text += chunk.toString('utf8');
    return text;
  }

  async close(): Promise<void> {
    this.cluster.close();
    this.engine.close();
    await this.swarm.stop();
  }
}

const port = 8080;

export const webCheck = {
  http: { port, path: '/health', scheme: 'http', headers: {} },
  interval_ms: 500,
  timeout_ms: 5_000,
  start_period_ms: 20_000,
  retries: 3,
} as const;

/** A web server that is healthy as soon as it serves; `before` runs first in its shell. */
export function web(
  image: string,
  overrides: Partial<ManifestComponent> = {},
  before = '',
): Partial<ManifestComponent> {
  const command = ['sh', '-c', `${before} echo ok > /www/health; exec httpd -f -p ${port} -h /www`];
  return { image, command, healthcheck: webCheck, ...overrides };
}
