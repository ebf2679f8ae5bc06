import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDockerEngine } from '@hortus/daemon/engine/docker/docker-engine';
import type { Engine } from '@hortus/daemon/engine/engine';
import { startDocker } from '@hortus/testkit/docker';
import { freePort } from '@hortus/testkit/port';
import { type RunningProcess, startProcess } from '@hortus/testkit/process';
import { daemonMain } from '@hortus/testkit/programs';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { endCaddy } from '../docker/garden.ts';
import { type ServiceProcess, startService } from '../service-process.ts';

/** A server with an engine and a daemon of its own. */
export interface Ground {
  readonly name: string;
  readonly serverId: string;
  readonly socketPath: string;
  readonly engine: Engine;
  readonly state: string;
  daemon: RunningProcess;
  /** Starts the daemon again, on its old state. */
  restart(): void;
}

export interface TwoGrounds extends AsyncDisposable {
  service: ServiceProcess;
  readonly grounds: readonly [Ground, Ground];
  restartService(): Promise<void>;
  /** Waits until the daemons of both are connected. */
  online(): Promise<void>;
}

export interface TwoGroundsOptions {
  readonly catalog: string;
  /** Makes the images that the species of the catalog run. */
  readonly images: (socketPath: string) => Promise<unknown>;
  readonly env?: Record<string, string>;
}

/** A real service and two servers, each with a Docker engine of its own that shares nothing with the other. */
export async function openTwoGrounds({ catalog, images, env = {} }: TwoGroundsOptions): Promise<TwoGrounds> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(temporaryFolder('grounds'));
  const start = (again?: ServiceProcess) =>
    startService({
      directory: join(folder.path, 'data'),
      env: { HORTUS_CATALOG_DIR: catalog, HORTUS_MIGRATION_GRACE_MINUTES: '0', ...env },
      ...(again && { key: again.key, port: Number(new URL(again.root).port) }),
    });
  const service = await start();
  const all: TwoGrounds = {
    service,
    grounds: [] as unknown as TwoGrounds['grounds'],
    async restartService() {
      await all.service.process.kill('SIGKILL');
      all.service = await start(all.service);
    },
    async online() {
      for (const { serverId: id, daemon } of all.grounds) {
        const connected = async () =>
          (await all.service.client.call('servers.read', { params: { id } })).data.connected;
        await until(async () => await connected().catch(() => false), {
          within: 60_000,
          describe: () => `a daemon to be connected; it wrote:\n${daemon.output}`,
        });
      }
    },
    [Symbol.asyncDispose]: async () => await kept.disposeAsync(),
  };
  opened.defer(async () => void (await all.service.process.stop()));
  const grounds = await Promise.all(
    ['here', 'there'].map(async (name) => {
      const docker = opened.use(await startDocker());
      await images(docker.socketPath);
      const ground = await openGround(all, name, docker.socketPath, folder.path);
      opened.defer(async () => {
        await ground.daemon.stop();
        endCaddy(ground.state);
        ground.engine.close();
      });
      return ground;
    }),
  );
  (all.grounds as unknown as Ground[]).push(...grounds);
  await all.online();
  const kept = opened.move();
  return all;
}

async function openGround(all: TwoGrounds, name: string, socketPath: string, folder: string): Promise<Ground> {
  const { data } = await all.service.client.call('servers.register', { body: { name, environment: 'production' } });
  const { id, api_key, manifest_public_key } = data;
  const keyFile = join(folder, `${name}.json`);
  const content = { url: all.service.base, server_id: id, api_key, manifest_public_key };
  writeFileSync(keyFile, JSON.stringify(content), { mode: 0o600 });
  const state = join(folder, name);
  mkdirSync(state);
  const ports = ['--ingress-http', String(await freePort()), '--ingress-https', String(await freePort())];
  const startDaemon = () =>
    startProcess([
      process.execPath,
      ...[daemonMain, 'run', '--key-file', keyFile],
      ...['--state-dir', state, '--docker-socket', socketPath, ...ports, '--log-level', 'debug'],
    ]);
  const ground: Ground = {
    name,
    serverId: id,
    socketPath,
    engine: openDockerEngine({ socketPath }),
    state,
    daemon: startDaemon(),
    restart() {
      ground.daemon = startDaemon();
    },
  };
  return ground;
}
