import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiProblem } from '@hortus/client/problem';
import type { Overrides } from '@hortus/contract/template/overrides';
import { openDockerEngine } from '@hortus/daemon/engine/docker/docker-engine';
import type { Engine } from '@hortus/daemon/engine/engine';
import { freePort } from '@hortus/testkit/port';
import { type RunningProcess, startProcess } from '@hortus/testkit/process';
import { daemonMain, killedDaemonMain } from '@hortus/testkit/programs';
import type { SeverableNetwork } from '@hortus/testkit/severable-network';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { type ServiceProcess, startService } from '../service-process.ts';
import { onSwarm } from './on-swarm.ts';
import { openSite } from './open-site.ts';
import type { Site } from './site.ts';
import { makePageImage, writeCatalog } from './test-species.ts';

export interface Installation extends AsyncDisposable {
  service: ServiceProcess;
  readonly serverId: string;
  readonly serverKey: string;
  readonly directory: string;
  /** A cluster is a Docker Swarm of one node. */
  readonly kind: Site['kind'];
  readonly socketPath: string;
  /** Direct access to the engine, bypassing Hortus. */
  readonly engine: Engine;
  /** HTTP port of the server's ingress. */
  readonly httpPort: number;
  /** Returns the state directory of a daemon. */
  stateOf(state?: string): string;
  /** Starts a daemon from source or `command`; kills it at `killAt`. */
  startDaemon(options?: DaemonOptions): RunningProcess;
  /** Kills the service and restarts it on the same port and data. */
  restartService(): Promise<void>;
  /** Waits until the daemon is connected. */
  online(): Promise<void>;
  /** Makes an address of this machine's loopback reachable for the engine and its daemon. */
  letIn(url: string): Promise<void>;
}

export interface InstallationOptions {
  /** Catalog folder; default is the species of `test-species.ts` with their image. */
  catalog?: string;
  /** Image for the species of `test-species.ts` instead of the generated one. */
  image?: string;
  /** Additional settings of the service. */
  env?: Readonly<Record<string, string>>;
  /** Additional templates by slug. */
  species?: Record<string, string>;
  /** A server or a cluster; default is that of the test run. */
  kind?: Site['kind'];
  /** Engine of a server; default is that of the test run. */
  socketPath?: string;
  /** Runs the service in this network, whose link to the daemons can be cut. */
  network?: SeverableNetwork;
}

export interface DaemonOptions {
  /** Name of the state directory. */
  state?: string;
  /** Alternative address of the service. */
  url?: string;
  killAt?: string;
  /** File with the pid of the process to kill at that moment instead of the daemon. */
  killInstead?: string;
  /** Timeout of engine calls in milliseconds; only with `killAt`. */
  engineMs?: number;
  /** Alternative socket of the engine. */
  socketPath?: string;
  /** Address pool for its networks. */
  networkPool?: string;
  /** Seconds between two drift checks. */
  driftEvery?: number;
  command?: readonly [string, ...string[]];
  /** Additional environment. */
  env?: Readonly<Record<string, string>>;
}

const sourceOf = (killAt: string | undefined): readonly [string, ...string[]] => [
  process.execPath,
  killAt === undefined ? daemonMain : killedDaemonMain,
];

/** In that network the service does not listen on loopback, so it needs these settings. */
const onNetwork = { HORTUS_HOST: '0.0.0.0', HORTUS_ALLOW_PLAINTEXT_MANIFEST: 'true' };

/** Opens a real service, a registered server and a real Docker engine; the test starts the daemon. Cleans up after itself. */
export async function openInstallation(options: InstallationOptions = {}): Promise<Installation> {
  const folder = temporaryFolder('installation');
  const { image, species, network } = options;
  const [httpPort, httpsPort] = [await freePort(), await freePort()];
  const site = await openSite({ kind: options.kind, socketPath: options.socketPath, httpPort });
  const { socketPath, kind } = site;
  const catalog = options.catalog ?? writeCatalog(join(folder.path, 'catalog'), { image, species });
  if (options.catalog === undefined && image === undefined) await makePageImage(socketPath);
  const directory = join(folder.path, 'data');
  const start = (again?: ServiceProcess) =>
    startService({
      directory,
      env: { HORTUS_CATALOG_DIR: catalog, ...(network && onNetwork), ...options.env },
      ...(network && { host: network.lasting, prefix: network.prefix }),
      ...(again && { key: again.key, port: Number(new URL(again.root).port) }),
    });
  const service = await start();
  await site.letIn(service.root);
  const { data } = await service.client.call('servers.register', {
    body: { name: 'server-1', environment: 'production', kind },
  });
  const keyFile = join(folder.path, 'server.json');
  const { id, api_key, manifest_public_key } = data;
  const url = network ? service.base.replace(network.lasting, network.severable) : service.base;
  writeFileSync(keyFile, JSON.stringify({ url, server_id: id, api_key, manifest_public_key }), { mode: 0o600 });
  const children: RunningProcess[] = [];
  const states = new Set<string>();
  const installation: Installation = {
    service,
    serverId: id,
    serverKey: api_key,
    directory,
    kind,
    socketPath,
    engine: site.engine,
    httpPort,
    letIn: (url) => site.letIn(url),
    stateOf: (state = 'state') => join(folder.path, state),
    startDaemon({
      state = 'state',
      url,
      killAt,
      killInstead,
      engineMs,
      driftEvery,
      networkPool,
      socketPath: way,
      command = sourceOf(killAt),
      env: more,
    } = {}) {
      const stateDirectory = installation.stateOf(state);
      states.add(stateDirectory);
      mkdirSync(stateDirectory, { recursive: true });
      const options = [
        ...['--key-file', keyFile, '--state-dir', stateDirectory, '--docker-socket', way ?? socketPath],
        ...['--ingress-http', String(httpPort), '--ingress-https', String(httpsPort)],
        ...(url === undefined ? [] : ['--url', url]),
        ...(networkPool === undefined ? [] : ['--network-pool', networkPool]),
        ...(driftEvery === undefined ? [] : ['--drift-every', String(driftEvery)]),
        ...site.options,
      ];
      const [program = '', ...args] = [...site.prefix, ...command];
      const env = {
        HORTUSD_ALLOW_PLAINTEXT: network ? 'true' : undefined,
        HORTUS_TEST_KILL_AT: killAt,
        HORTUS_TEST_KILL_INSTEAD: killInstead,
        HORTUS_TEST_ENGINE_MS: engineMs?.toString(),
        ...more,
      };
      const child = startProcess([program, ...args, 'run', ...options], { env });
      children.push(child);
      return child;
    },
    async restartService() {
      await installation.service.process.kill('SIGKILL');
      installation.service = await start(installation.service);
    },
    async online() {
      const read = () => installation.service.client.call('servers.read', { params: { id } });
      await until(async () => (await read()).data.connected, {
        within: 120_000,
        describe: () =>
          `the daemon to be connected; it wrote:\n${children.at(-1)?.output}\nthe service:\n${installation.service.process.output}`,
      });
    },
    async [Symbol.asyncDispose]() {
      for (const child of children) await child.stop();
      for (const state of states) endCaddy(state);
      await installation.service.process.stop();
      if (kind === 'server') await removeContainers(socketPath, id);
      await site[Symbol.asyncDispose]();
      await folder.remove();
    },
  };
  return installation;
}

/** Opens an installation with a running daemon. */
export async function openInstallationWithDaemon(
  options?: InstallationOptions,
  daemon?: DaemonOptions,
): Promise<Installation> {
  const installation = await openInstallation(options);
  installation.startDaemon(daemon);
  await installation.online();
  return installation;
}

/** Gives several state directories the same key pair, like copies of one machine. */
export function shareKeyPair(installation: Installation, states: readonly string[]): void {
  const key = generateKeyPairSync('x25519').privateKey.export({ format: 'pem', type: 'pkcs8' });
  for (const state of states) {
    mkdirSync(installation.stateOf(state), { recursive: true });
    writeFileSync(join(installation.stateOf(state), 'identity.key'), key, { mode: 0o600 });
  }
}

/** Stops Caddy, which outlives its daemon on purpose. */
export function endCaddy(stateDirectory: string): void {
  const pid = caddyOf(stateDirectory);
  if (pid === undefined) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has already ended.
  }
}

export function caddyOf(stateDirectory: string): number | undefined {
  const file = join(stateDirectory, 'ingress/caddy.pid');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).pid : undefined;
}

/** Removes everything with the label of this server. */
export async function removeContainers(socketPath: string, serverId: string): Promise<void> {
  const engine = openDockerEngine({ socketPath });
  const labels = { 'hortus.server': serverId };
  for (const { id } of await engine.containers({ labels })) await engine.remove(id, { force: true });
  for (const { name } of await engine.volumes({ labels })) await engine.removeVolume(name);
  for (const { name } of await engine.networks({ labels })) await engine.removeNetwork(name);
  engine.close();
}

/** What requests need of an installation. */
export type Served = Pick<Installation, 'service' | 'serverId'>;

export interface Deployed {
  readonly definitionId: string;
  readonly instanceId: string;
}

export interface DefinitionOptions {
  species?: string;
  inputs?: Record<string, string>;
  watch_seconds?: number;
  heal?: boolean;
  tenant_id?: string;
  overrides?: Overrides;
}

/** Creates and deploys a definition; default species is website. */
export async function createAndDeploy(
  installation: Served,
  uid: string,
  { species = 'website', inputs = {}, watch_seconds = 0, heal = false, ...of }: DefinitionOptions = {},
): Promise<Deployed> {
  const { client } = installation.service;
  const body = { species, instance_uid: uid, server_id: installation.serverId, inputs, watch_seconds, heal, ...of };
  const { data } = await client.call('definitions.create', { body });
  const outcome = await finished(installation, await deploy(installation, data.id));
  if (outcome.status !== 'success' || !outcome.instance_id)
    throw new Error(`${uid} was not deployed: ${outcome.error}`);
  return { definitionId: data.id, instanceId: outcome.instance_id };
}

/** Requests a deployment and returns its id. */
export async function deploy(installation: Served, definitionId: string): Promise<string> {
  const { data } = await installation.service.client.call('deployments.execute', {
    body: { definition_id: definitionId },
  });
  return data.id;
}

/** Changes inputs, deploys and returns the finished deployment. */
export async function redeploy(installation: Served, id: string, inputs: Record<string, string>, within?: number) {
  await installation.service.client.call('definitions.update', { params: { id }, body: { inputs } });
  return await finished(installation, await deploy(installation, id), within);
}

/** Requests an action and returns the id of its execution. */
export async function act(installation: Served, id: string, slug: string, params: Record<string, string> = {}) {
  const { execution } = await installation.service.client.call('actions.execute', {
    params: { id, slug },
    body: { params },
  });
  return execution.id;
}

/** Runs a command in a container through the engine and returns its output. */
export async function inside(engine: Engine, container: string, ...argv: string[]): Promise<string> {
  const { output } = await engine.exec(container, { argv });
  let text = '';
  for await (const { chunk } of output) text += chunk;
  return text;
}

/** Makes the health checks of an instance fail. On a Swarm its files are read-only, so it is frozen there. */
export async function sicken(engine: Engine, uid: string): Promise<void> {
  if (onSwarm) await engine.kill(uid, 'SIGSTOP');
  else await inside(engine, uid, 'rm', '/www/index.html');
}

/** Polls a deployment like a client, but faster; retries while the service is down. */
export async function finished(installation: Served, deploymentId: string, within = 120_000) {
  return await poll(within, `deployment ${deploymentId}`, async () => {
    const { data } = await installation.service.client.call('deployments.read', { params: { id: deploymentId } });
    return data.status === 'success' || data.status === 'failed' ? data : undefined;
  });
}

export async function ended(installation: Served, executionId: string, within = 120_000) {
  return await poll(within, `execution ${executionId}`, async () => {
    const { execution } = await installation.service.client.call('actions.read', {
      params: { execution_id: executionId },
    });
    return ['pending', 'sent', 'running'].includes(execution.status) ? undefined : execution;
  });
}

async function poll<T>(within: number, what: string, ask: () => Promise<T | undefined>): Promise<T> {
  let found: T | undefined;
  const poll = async () => {
    found = await ask().catch((error) => {
      if (error instanceof ApiProblem && error.code === 'NETWORK') return undefined;
      throw error;
    });
    return found !== undefined;
  };
  await until(poll, { within, describe: `the end of ${what}` });
  return found as T;
}
