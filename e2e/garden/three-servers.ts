import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { sharedDocker } from '@hortus/testkit/docker';
import { type RunningProcess, startProcess } from '@hortus/testkit/process';
import { cliMain } from '@hortus/testkit/programs';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { endCaddy, removeContainers } from '../docker/installation.ts';
import { makePageImage, PAGE_IMAGE, writeCatalog } from '../docker/test-species.ts';
import { openServer, type ServerWithEngine } from '../migration/two-servers.ts';
import { type ServiceProcess, startService } from '../service-process.ts';

/** One small container with a web page, which becomes healthy quickly. */
const leaf = `
slug: leaf
name: Leaf
description: A small web server.
version: 1.0.0
app_version: "1"
archetype: application
taxonomy: {kingdom: applications, family: website}
image: {repository: ${PAGE_IMAGE}, tag: "1"}
inputs:
  optional:
    - {name: GREETING, type: text, default: hello}
    - {name: HEALTH_PATH, type: string, default: /}
command: [httpd, -f, -p, "8080", -h, /www]
stop_signal: SIGKILL
files: [{mount_path: /www/index.html, mode: "0644", content: "\${inputs.GREETING}"}]
healthcheck: {http: {port: 8080, path: "\${inputs.HEALTH_PATH}"}, interval: 500ms, timeout: 2s, retries: 5, start_period: 2s}
deadline: 120s
`;

export interface ThreeServers extends AsyncDisposable {
  service: ServiceProcess;
  readonly servers: readonly ServerWithEngine[];
  readonly folder: string;
  /** Kills the service and starts it again on the same port and data. */
  restartService(): Promise<void>;
  /** Starts the command line client as a process. */
  hortus(...argv: string[]): RunningProcess;
}

/** Opens a real service and three daemons, each with its own state, on the engine of the test run. */
export async function openThreeServers(): Promise<ThreeServers> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(temporaryFolder('garden'));
  const socketPath = sharedDocker();
  await makePageImage(socketPath);
  const catalog = writeCatalog(join(folder.path, 'catalog'), { species: { leaf } });
  const start = (again?: ServiceProcess) =>
    startService({
      directory: join(folder.path, 'data'),
      env: { HORTUS_CATALOG_DIR: catalog },
      ...(again && { key: again.key, port: Number(new URL(again.root).port) }),
    });
  const all: ThreeServers = {
    service: await start(),
    servers: [],
    folder: folder.path,
    async restartService() {
      await all.service.process.kill('SIGKILL');
      all.service = await start(all.service);
    },
    hortus: (...argv) =>
      startProcess([process.execPath, cliMain, ...argv], {
        env: { HORTUS_URL: all.service.base, HORTUS_KEY: all.service.key, HOME: folder.path },
      }),
    [Symbol.asyncDispose]: async () => await kept.disposeAsync(),
  };
  opened.defer(async () => void (await all.service.process.stop()));
  const states = join(folder.path, 'servers');
  mkdirSync(states);
  for (const name of ['attic', 'barn', 'cellar']) {
    const server = await openServer(all, name, socketPath, states);
    opened.defer(async () => {
      await server.daemon.stop();
      endCaddy(server.state);
      server.engine.close();
      await removeContainers(socketPath, server.serverId);
    });
    (all.servers as ServerWithEngine[]).push(server);
  }
  for (const { serverId: id, daemon } of all.servers)
    await until(async () => (await all.service.client.call('servers.read', { params: { id } })).data.connected, {
      within: 120_000,
      describe: () => `a daemon to be connected; it wrote:\n${daemon.output}`,
    });
  const kept = opened.move();
  return all;
}
