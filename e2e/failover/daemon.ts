import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sharedDocker } from '@hortus/testkit/docker';
import { freePort } from '@hortus/testkit/port';
import { startProcess } from '@hortus/testkit/process';
import { daemonMain } from '@hortus/testkit/programs';
import { until } from '@hortus/testkit/until';
import { endCaddy, removeContainers } from '../docker/installation.ts';
import type { Replicas } from './replicas.ts';

export interface Daemon extends AsyncDisposable {
  readonly serverId: string;
}

/** Registers a server and starts its daemon, which reaches the replicas through Caddy. */
export async function startDaemon({ base, client, folder }: Replicas, name: string): Promise<Daemon> {
  const { data } = await client.call('servers.register', { body: { name, environment: 'production' } });
  const { id, api_key, manifest_public_key } = data;
  const [keyFile, state] = [join(folder, `${name}.json`), join(folder, `${name}-state`)];
  writeFileSync(keyFile, JSON.stringify({ url: base, server_id: id, api_key, manifest_public_key }), { mode: 0o600 });
  mkdirSync(state);
  const socketPath = sharedDocker();
  const daemon = startProcess([
    ...([process.execPath, daemonMain, 'run', '--key-file', keyFile, '--state-dir', state] as const),
    ...['--docker-socket', socketPath],
    ...['--ingress-http', String(await freePort()), '--ingress-https', String(await freePort())],
  ]);
  await until(async () => (await client.call('servers.read', { params: { id } })).data.connected, {
    within: 120_000,
    describe: () => `the daemon to be connected; it wrote:\n${daemon.output}`,
  });
  return {
    serverId: id,
    async [Symbol.asyncDispose]() {
      await daemon.stop();
      endCaddy(state);
      await removeContainers(socketPath, id);
    },
  };
}
