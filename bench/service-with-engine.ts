import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startDocker } from '@hortus/testkit/docker';
import { busyboxImage } from '@hortus/testkit/images';
import { startProcess } from '@hortus/testkit/process';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { IMAGE, PAGE, seedCatalog } from './seed.ts';
import { startService } from './service-process.ts';

const fromSource = [process.execPath, 'packages/daemon/src/main.ts'] as const;

/** Starts a Docker engine, the service, and one server with its daemon, all on both cores as on a real machine. */
export async function startServiceWithEngine({
  daemon: program = fromSource,
  options: more = [],
}: {
  daemon?: readonly [string, ...string[]];
  /** Further options of the daemon. */
  options?: readonly string[];
} = {}) {
  await using started = new AsyncDisposableStack();
  const docker = started.use(await startDocker());
  const { socketPath } = docker;
  await busyboxImage(socketPath, IMAGE, { files: { [PAGE]: 'grown' } });
  const folder = temporaryFolder('bench');
  started.defer(() => folder.remove());
  const catalog = seedCatalog(join(folder.path, 'catalog'));
  const service = await startService({ env: { HORTUS_CATALOG_DIR: catalog }, cores: '0,1' });
  started.defer(() => service.stop());
  const { client } = service;
  const registered = await client.call('servers.register', { body: { name: 'server-1', environment: 'production' } });
  const { id: serverId, api_key, manifest_public_key } = registered.data;
  const keyFile = join(folder.path, 'server.json');
  const identity = { url: service.base, server_id: serverId, api_key, manifest_public_key };
  writeFileSync(keyFile, JSON.stringify(identity), { mode: 0o600 });
  const state = join(folder.path, 'state');
  mkdirSync(state);
  const options = ['--key-file', keyFile, '--state-dir', state, '--docker-socket', socketPath, ...more];
  const daemon = started.use(startProcess([...program, 'run', ...options]));
  await until(async () => (await client.call('servers.read', { params: { id: serverId } })).data.connected, {
    within: 30_000,
    describe: () => `the daemon to be connected; it wrote:\n${daemon.output}`,
  });
  const all = started.move();
  return { client, service, serverId, socketPath, daemon, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

export type ServiceWithEngine = Awaited<ReturnType<typeof startServiceWithEngine>>;

/** Creates a definition. */
export async function define({ client, serverId }: ServiceWithEngine, uid: string, species = 'seed'): Promise<string> {
  const body = { species, instance_uid: uid, server_id: serverId, inputs: {} };
  return (await client.call('definitions.create', { body })).data.id;
}

/** Deploys and waits for success. */
export async function deploy({ client, daemon }: ServiceWithEngine, definition_id: string, quietMs = 0) {
  const { data } = await client.call('deployments.execute', { body: { definition_id } });
  await pause(quietMs);
  for (;;) {
    const { data: now } = await client.call('deployments.read', { params: { id: data.id } });
    if (now.status === 'success') return now;
    if (now.status === 'failed') throw new Error(`The deployment failed: ${now.error}\n${daemon.output}`);
    await pause(2);
  }
}

export const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** Returns half of the shortest recent time in milliseconds: polling before then only costs CPU. */
export const quietTime = (times: readonly number[]): number => Math.min(...times.slice(-5), 10_000) / 2;

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}
