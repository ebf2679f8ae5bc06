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
import { endCaddy } from '../docker/installation.ts';
import { type ServiceProcess, startService } from '../service-process.ts';
import { writeSubstitutes } from '../substitutes-file.ts';

/** A server with its own engine and daemon. */
export interface ServerWithEngine {
  readonly name: string;
  readonly serverId: string;
  readonly socketPath: string;
  readonly engine: Engine;
  readonly state: string;
  daemon: RunningProcess;
  /** Restarts the daemon on its old state. */
  restart(): void;
}

export interface TwoServers extends AsyncDisposable {
  service: ServiceProcess;
  readonly servers: readonly [ServerWithEngine, ServerWithEngine];
  restartService(): Promise<void>;
  /** Waits until both daemons are connected. */
  online(): Promise<void>;
}

export interface TwoServersOptions {
  readonly catalog: string;
  /** Creates the images of the species and returns them as image substitutes of the daemons. */
  readonly images: (socketPath: string) => Promise<Readonly<Record<string, string>>>;
  readonly env?: Record<string, string>;
}

/** Opens a real service and two servers, each with its own Docker engine. */
export async function openTwoServers({ catalog, images, env = {} }: TwoServersOptions): Promise<TwoServers> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(temporaryFolder('servers'));
  const start = (again?: ServiceProcess) =>
    startService({
      directory: join(folder.path, 'data'),
      env: { HORTUS_CATALOG_DIR: catalog, HORTUS_MIGRATION_GRACE_MINUTES: '0', ...env },
      ...(again && { key: again.key, port: Number(new URL(again.root).port) }),
    });
  const service = await start();
  const all: TwoServers = {
    service,
    servers: [] as unknown as TwoServers['servers'],
    async restartService() {
      await all.service.process.kill('SIGKILL');
      all.service = await start(all.service);
    },
    async online() {
      for (const { serverId: id, daemon } of all.servers) {
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
  const servers = await Promise.all(
    ['here', 'there'].map(async (name) => {
      const docker = opened.use(await startDocker());
      const substitutes = await images(docker.socketPath);
      const server = await openServer(all, name, docker.socketPath, folder.path, substitutes);
      opened.defer(async () => {
        await server.daemon.stop();
        endCaddy(server.state);
        server.engine.close();
      });
      return server;
    }),
  );
  (all.servers as unknown as ServerWithEngine[]).push(...servers);
  await all.online();
  const kept = opened.move();
  return all;
}

/** Registers a server and starts its daemon on an engine. */
export async function openServer(
  all: Pick<TwoServers, 'service'>,
  name: string,
  socketPath: string,
  folder: string,
  substitutes: Readonly<Record<string, string>> = {},
): Promise<ServerWithEngine> {
  const { data } = await all.service.client.call('servers.register', { body: { name, environment: 'production' } });
  const { id, api_key, manifest_public_key } = data;
  const keyFile = join(folder, `${name}.json`);
  const content = { url: all.service.base, server_id: id, api_key, manifest_public_key };
  writeFileSync(keyFile, JSON.stringify(content), { mode: 0o600 });
  const state = join(folder, name);
  mkdirSync(state);
  const ports = ['--ingress-http', String(await freePort()), '--ingress-https', String(await freePort())];
  const env = writeSubstitutes(state, substitutes);
  const startDaemon = () =>
    startProcess(
      [
        process.execPath,
        ...[daemonMain, 'run', '--key-file', keyFile],
        ...['--state-dir', state, '--docker-socket', socketPath, ...ports, '--log-level', 'debug'],
      ],
      { env },
    );
  const server: ServerWithEngine = {
    name,
    serverId: id,
    socketPath,
    engine: openDockerEngine({ socketPath }),
    state,
    daemon: startDaemon(),
    restart() {
      server.daemon = startDaemon();
    },
  };
  return server;
}
