import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sharedDocker } from '@hortus/testkit/docker';
import { sharedBusyboxImage } from '@hortus/testkit/images';
import { freePort } from '@hortus/testkit/port';
import { type RunningProcess, startProcess } from '@hortus/testkit/process';
import { type TemporaryFolder, temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { endCaddy, removeContainers } from '../docker/installation.ts';
import { clientOf } from '../service-process.ts';
import { writeSubstitutes } from '../substitutes-file.ts';

export const root = join(import.meta.dirname, '../..');

export interface Machine extends AsyncDisposable {
  readonly folder: TemporaryFolder;
  readonly dataDirectory: string;
  readonly url: string;
  readonly socketPath: string;
  /** Plain HTTP port of the daemon's Caddy. */
  readonly ingressPort: number;
  /** Restarts with the same port and data; a prefix is a command that runs the program in its arguments. */
  start(env?: Record<string, string | undefined>, prefix?: readonly string[]): Promise<RunningProcess>;
  /** Reads the server id of this machine from its record. */
  serverId(): string;
  online(key: string): Promise<void>;
}

/** Prepares a machine for npm start: a data directory, a port and a Docker engine. Cleans up after itself. */
export async function openMachine(): Promise<Machine> {
  const folder = temporaryFolder('start');
  const dataDirectory = join(folder.path, 'data');
  const port = await freePort();
  const [httpPort, httpsPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const socketPath = sharedDocker();
  const started: RunningProcess[] = [];
  const record = join(dataDirectory, 'local-server.json');
  const serverId = () => (JSON.parse(readFileSync(record, 'utf8')) as { server_id: string }).server_id;
  return {
    folder,
    dataDirectory,
    url,
    socketPath,
    ingressPort: httpPort,
    serverId,
    async start(env = {}, prefix = []) {
      const [program = process.execPath, ...args] = [...prefix, process.execPath, 'scripts/start.mjs'];
      const child = startProcess([program, ...args], {
        cwd: root,
        env: {
          HORTUS_PORT: String(port),
          HORTUS_DATA_DIR: dataDirectory,
          DOCKER_HOST: `unix://${socketPath}`,
          HORTUS_LOG_LEVEL: 'info',
          HORTUS_INGRESS_HTTP: String(httpPort),
          HORTUS_INGRESS_HTTPS: String(httpsPort),
          ...writeSubstitutes(folder.path, nginxSubstitutes),
          ...env,
        },
      });
      started.push(child);
      await child.waitForLine('/docs (in a browser)', { within: 60_000 });
      return child;
    },
    async online(key) {
      const client = clientOf(`${url}/api/v1`, key);
      const read = () => client.call('servers.read', { params: { id: serverId() } });
      await until(async () => (await read()).data.connected, {
        describe: () => `the daemon to be connected; npm start wrote:\n${started.at(-1)?.output}`,
      });
    },
    async [Symbol.asyncDispose]() {
      for (const child of started) await child.stop({ within: 20_000 });
      for (const state of globSync(join(dataDirectory, 'daemon/*/ingress'))) endCaddy(dirname(state));
      if (existsSync(record)) await removeContainers(socketPath, serverId());
      await folder.remove();
    },
  };
}

/** Reads the key printed by the first start. */
export const shownKey = ({ stdout }: RunningProcess): string => /hk_live_[\w-]+/.exec(stdout)?.[0] ?? '';

const NGINX_IMAGE = 'hortus-test/nginx-page:1';

/** Image substitutes for a daemon on an engine with `makeNginxImage`. */
export const nginxSubstitutes = { 'docker.io/library/nginx': NGINX_IMAGE };

/** Builds a busybox image that serves static-site in place of nginx, so that no registry is needed. */
export const makeNginxImage = (socketPath: string): Promise<void> =>
  sharedBusyboxImage(socketPath, NGINX_IMAGE, {
    // busybox as pid 1 ignores SIGTERM without a handler; nginx does not.
    cmd: ['sh', '-c', "trap 'exit 0' TERM; httpd -f -p 8080 -h /usr/share/nginx/html & wait"],
    files: {
      '/usr/share/nginx/html/healthz': 'ok\n',
      '/bin/nginx': '#!/bin/sh\necho "nginx: configuration file /etc/nginx/nginx.conf test is successful"\n',
    },
  });
