import { randomInt } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SignedManifest } from '@hortus/contract/resources/manifest';
import type { Manifest, ManifestComponent } from '@hortus/contract/template/manifest';
import { type RunningProcess, startProcess } from '@hortus/testkit/process';
import { daemonMain, killedDaemonMain } from '@hortus/testkit/programs';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { component, manifest } from '../plan/testing/manifests.ts';
import { policyFileOf } from '../policy/read-policy.ts';
import { image, TestServer } from '../rollout/testing/server.ts';
import { FakeService } from './fake-service.ts';
import { id, Signer } from './signing.ts';

type Order = Partial<SignedManifest> & { forgedBy?: Signer };

/** The real daemon in its own process, with a real engine and a scripted service. */
export class DaemonProcess {
  readonly server: TestServer;
  readonly service: FakeService;
  readonly signer = new Signer();
  readonly serverId = id('srv', randomInt(1e9));
  readonly #folder = temporaryFolder('daemon');
  readonly #killAt: string | undefined;
  readonly #options: readonly string[];
  readonly #command: readonly string[] | undefined;
  readonly #isCluster: boolean;
  process: RunningProcess;
  #deployments = 0;

  private constructor(
    server: TestServer,
    service: FakeService,
    killAt: string | undefined,
    options: readonly string[],
    policy: Record<string, unknown>,
    command: readonly string[] | undefined,
    isCluster: boolean,
  ) {
    this.server = server;
    this.service = service;
    this.#killAt = killAt;
    this.#options = options;
    this.#command = command;
    this.#isCluster = isCluster;
    service.greeting = { server_id: this.serverId, capabilities: ['ack', 'wake', 'update'] };
    if (isCluster) service.leadership = { leads: true, epoch: 1, since: 1 };
    service.sign = (message) => this.signer.order(message, this.serverId);
    service.signFor = (manifest, nonce) => this.signer.signFor(manifest, nonce);
    mkdirSync(this.stateDirectory, { mode: 0o700 });
    writeFileSync(policyFileOf(this.stateDirectory), JSON.stringify(policy));
    this.process = this.#start();
  }

  /**
   * Starts a daemon; with `killAt` it kills itself there once. `options` are those of `hortusd run`, `policy` is its
   * policy file, `command` is a binary to run instead of the source, `manager` the socket of a manager whose Swarm it drives.
   */
  static async start({
    killAt,
    options = [],
    policy = {},
    command,
    manager,
  }: {
    killAt?: string;
    options?: readonly string[];
    policy?: Record<string, unknown>;
    command?: readonly string[];
    manager?: string;
  } = {}): Promise<DaemonProcess> {
    const server = await TestServer.open(manager === undefined ? {} : { socketPath: manager });
    const service = await FakeService.listen();
    return new DaemonProcess(server, service, killAt, options, policy, command, manager !== undefined);
  }

  get stateDirectory(): string {
    return join(this.#folder.path, 'state');
  }

  /** Kills it as a power cut would and restarts it; `meanwhile` runs in between. */
  async kill(meanwhile: () => void | Promise<void> = () => {}): Promise<void> {
    await this.process.kill('SIGKILL');
    this.service.socket = undefined;
    await meanwhile();
    this.process = this.#start();
  }

  async close(): Promise<void> {
    await this.process.stop();
    await this.service.close();
    await this.#folder.remove();
    const { engine } = this.server;
    const ours = { labels: { 'hortus.server': this.serverId } };
    for (const { id: container } of await engine.containers(ours)) await engine.remove(container, { force: true });
    for (const { name } of await engine.networks(ours)) await engine.removeNetwork(name);
    for (const { name } of await engine.volumes(ours)) await engine.removeVolume(name);
    await this.server.close();
  }

  /** Sends a signed deployment and returns its id. */
  order(...deployment: Parameters<DaemonProcess['prepare']>): string {
    const deployment_id = this.prepare(...deployment);
    this.offer(deployment_id);
    return deployment_id;
  }

  /** Prepares a deployment without offering it to the daemon. */
  prepare(
    uid: string,
    components: readonly ManifestComponent[],
    more: Partial<Manifest> = {},
    signed: Order = {},
  ): string {
    const deployment_id = id('dep', ++this.#deployments);
    const plain = manifest(uid, [...components], { instance: { uid, name: uid, server_id: this.serverId }, ...more });
    const { forgedBy = this.signer, ...overrides } = signed;
    const { service, serverId } = this;
    service.manifests.set(deployment_id, forgedBy.sign(plain, { deployment_id, server_id: serverId, ...overrides }));
    return deployment_id;
  }

  offer(deployment_id: string): void {
    const { service } = this;
    service.pending.push({
      id: deployment_id,
      definition_id: id('def'),
      revision: 1,
      cancelling: false,
      status: 'pending',
    });
    service.send({ type: 'deployment_available', deployment_id });
  }

  reportOf(deployment: string): Promise<Record<string, unknown>> {
    const reports = () => this.service.callsTo('POST', '/deploy/report').map(({ body }) => body);
    return this.#until(() => reports().find(({ deployment_id }) => deployment_id === deployment), 'the report');
  }

  /** Returns the reported result of an execution. */
  resultOf(execution: string): Promise<Record<string, unknown>> {
    const resultMessage = /^action_(completed|failed)$/;
    return this.#until(
      () =>
        this.service.messages.find(({ type, execution_id }) => resultMessage.test(type) && execution_id === execution),
      'the result',
    );
  }

  /** Waits until it has killed itself, and restarts it. */
  async died(): Promise<void> {
    await this.process.exited;
    this.service.socket = undefined;
    this.process = this.#start();
    await this.connected();
  }

  connected(): Promise<unknown> {
    return this.#until(() => this.service.socket, 'a connection');
  }

  #until<T>(condition: () => T, what: string) {
    return until(condition, { describe: () => `${what}\n${this.process.output}` });
  }

  #start(): RunningProcess {
    const main = this.#killAt === undefined ? daemonMain : killedDaemonMain;
    const [program, ...args] = this.#command ?? [process.execPath, main];
    return startProcess([program ?? '', ...args, 'run', ...this.#options], {
      env: {
        HORTUSD_LOG_LEVEL: 'debug',
        ...(this.#killAt === undefined ? {} : { HORTUS_TEST_KILL_AT: this.#killAt }),
        HORTUSD_URL: this.service.url,
        HORTUSD_KEY: 'hs_test_0123456789abcdef',
        HORTUSD_SERVER_ID: this.serverId,
        HORTUSD_PUBLIC_KEY: this.signer.publicKey,
        HORTUSD_STATE_DIR: this.stateDirectory,
        HORTUSD_DOCKER_SOCKET: this.server.socketPath,
        HORTUSD_CLUSTER: String(this.#isCluster),
      },
    });
  }
}

/** A component that only sleeps. */
export const sleeper = (overrides: Partial<ManifestComponent> = {}): ManifestComponent =>
  component('main', { image, command: ['sleep', '100000'], init: true, ...overrides });
