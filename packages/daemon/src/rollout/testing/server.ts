import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { RegistryLogin } from '@hortus/contract/resources/manifest';
import type { Manifest, ManifestComponent } from '@hortus/contract/template/manifest';
import { openLog } from '@hortus/logging/log';
import { sharedDocker } from '@hortus/testkit/docker';
import { askDocker, readDocker } from '@hortus/testkit/docker-request';
import { sharedBusyboxImage } from '@hortus/testkit/images';
import { freePort } from '@hortus/testkit/port';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { openDockerEngine } from '../../engine/docker/docker-engine.ts';
import type { Engine } from '../../engine/engine.ts';
import { Ingress } from '../../ingress/ingress.ts';
import type { RolloutResult } from '../../journal/rollout-result.ts';
import { Routes } from '../../journal/routes.ts';
import { SCHEMA } from '../../journal/schema.ts';
import { manifest } from '../../plan/testing/manifests.ts';
import { id } from '../../testing/signing.ts';
import { type RolloutLogLine, rollOut } from '../rollout.ts';

export const image = 'hortus-test/busybox:1';

/** A server with its own labels and instances on the shared engine; `close` removes everything. */
export class TestServer {
  readonly id = `srv_${randomBytes(6).toString('hex')}`;
  readonly socketPath: string;
  readonly engine: Engine;
  readonly ingress: Ingress;
  readonly httpPort: number;
  readonly httpsPort: number;
  log: RolloutLogLine[] = [];
  readonly #folder = temporaryFolder('server');
  readonly #former = new Map<string, Manifest>();
  #deployments = 0;

  private constructor(socketPath: string, httpPort: number, httpsPort: number, caddy: string | undefined) {
    this.socketPath = socketPath;
    this.engine = openDockerEngine({ socketPath });
    this.httpPort = httpPort;
    this.httpsPort = httpsPort;
    const db = new DatabaseSync(':memory:');
    db.exec(SCHEMA);
    this.ingress = new Ingress({
      caddy,
      httpPort,
      httpsPort,
      directory: join(this.#folder.path, 'ingress'),
      routes: new Routes(db),
      log: openLog({ level: 'error' }),
    });
  }

  /** Uses the engine of the test run by default. */
  static async open({
    caddy,
    socketPath = sharedDocker(),
  }: {
    caddy?: string;
    socketPath?: string;
  } = {}): Promise<TestServer> {
    const server = new TestServer(socketPath, await freePort(), await freePort(), caddy);
    await sharedBusyboxImage(server.socketPath, image);
    return server;
  }

  newUid(): string {
    return `t${randomBytes(5).toString('hex')}`;
  }

  async deploy(
    uid: string,
    components: ManifestComponent[],
    options: {
      signal?: AbortSignal;
      engine?: Engine;
      manifest?: Partial<Manifest>;
      logins?: readonly RegistryLogin[];
      renew?: boolean;
      definitionId?: string;
    } = {},
  ): Promise<RolloutResult> {
    this.log = [];
    this.#deployments++;
    const wanted = manifest(uid, components, options.manifest);
    const result = await rollOut(
      {
        deploymentId: `dep_${this.#deployments}`,
        definitionId: options.definitionId ?? id('def'),
        revision: this.#deployments,
        serverId: this.id,
        manifest: wanted,
        former: this.#former.get(uid),
        logins: options.logins,
        renew: options.renew,
      },
      {
        ingress: this.ingress,
        engine: options.engine ?? this.engine,
        events: { log: (line) => this.log.push(line), progress: () => {} },
        signal: options.signal ?? new AbortController().signal,
      },
    );
    if (result.status === 'success') this.#former.set(uid, wanted);
    return result;
  }

  steps(): string[] {
    return this.log.flatMap(({ step }) => step ?? []);
  }

  /** Asks the engine directly, not through the code under test. */
  inspect<T = InspectedContainer>(name: string): Promise<T> {
    return readDocker<T>(this.socketPath, `/containers/${name}/json`);
  }

  /** Names and states of all containers of this server. */
  async names(): Promise<string[]> {
    const filters = encodeURIComponent(JSON.stringify({ label: [`hortus.server=${this.id}`] }));
    const list = await readDocker<{ Names: string[]; State: string }[]>(
      this.socketPath,
      `/containers/json?all=true&filters=${filters}`,
    );
    return list.map(({ Names, State }) => `${Names[0]?.slice(1)} ${State}`).sort();
  }

  async run(container: string, ...argv: string[]): Promise<string> {
    const handle = await this.engine.exec(container, { argv });
    let text = '';
    for await (const { chunk } of handle.output) text += chunk.toString('utf8');
    return text;
  }

  async close(): Promise<void> {
    for (const uid of this.#former.keys()) await this.ingress.lead(uid, []);
    await this.ingress.stop();
    await this.#folder.remove();
    const labels = { 'hortus.server': this.id };
    for (const { id } of await this.engine.containers({ labels })) await this.engine.remove(id, { force: true });
    for (const { name } of await this.engine.networks({ labels })) await this.engine.removeNetwork(name);
    for (const { name } of await this.engine.volumes({ labels })) await this.engine.removeVolume(name);
    this.engine.close();
  }

  async remove(container: string): Promise<void> {
    await askDocker(this.socketPath, 'DELETE', `/containers/${container}?force=true&v=true`);
  }
}

export interface InspectedContainer {
  Id: string;
  Name: string;
  Path: string;
  Args: string[];
  State: { Status: string; StartedAt: string };
  Config: Record<string, unknown> & { Env: string[]; Labels: Record<string, string>; Hostname: string };
  HostConfig: Record<string, unknown>;
  Mounts: { Type: string; Name?: string; Source: string; Destination: string; RW: boolean }[];
  NetworkSettings: { Networks: Record<string, { Aliases: string[]; IPAddress: string }> };
}

const port = 8080;

export const webCheck = {
  http: { port, path: '/health', scheme: 'http', headers: {} },
  interval_ms: 100,
  timeout_ms: 1_000,
  start_period_ms: 5_000,
  retries: 3,
} as const;

/** A web server that is healthy as soon as it serves; `before` runs first in its shell. */
export function web(overrides: Partial<ManifestComponent> = {}, before = ''): Partial<ManifestComponent> {
  const command = ['sh', '-c', `${before} echo ok > /www/health; exec httpd -f -p ${port} -h /www`];
  return { image, command, healthcheck: webCheck, ...overrides };
}
