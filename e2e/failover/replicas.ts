import { join } from 'node:path';
import { type Client, createClient } from '@hortus/client/client';
import { sharedDocker } from '@hortus/testkit/docker';
import { type PatroniCluster, startPatroni } from '@hortus/testkit/patroni';
import { type SeverableProxy, severableProxy } from '@hortus/testkit/severable-proxy';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { makePageImage, writeCatalog } from '../docker/test-species.ts';
import { clientOf, newAdminKey, type ServiceProcess, startService } from '../service-process.ts';
import { awaitBalance, startLoadBalancer } from './caddy.ts';

/** Three replicas of the service behind one Caddy, on three PostgreSQL servers under Patroni. */
export interface Replicas extends AsyncDisposable {
  readonly cluster: PatroniCluster;
  readonly services: readonly ServiceProcess[];
  readonly key: string;
  readonly folder: string;
  /** Address of Caddy. */
  readonly root: string;
  readonly base: string;
  /** Client through Caddy that retries like an ordinary one, but for longer. */
  readonly client: Client;
  /** Cuts the last replica off from every server of the database. */
  cut(): void;
  mend(): void;
  /** Waits until Caddy uses every replica. */
  balanced(): Promise<void>;
  kill(index: number): Promise<void>;
  /** Starts a killed replica again, on its port. */
  restart(index: number): Promise<void>;
}

const COUNT = 3;
/** Index of the replica that reads lists on a standby. */
export const READS_STANDBY = 1;

export async function openReplicas(species: Record<string, string> = {}): Promise<Replicas> {
  await using undo = new AsyncDisposableStack();
  const folder = undo.use(temporaryFolder('replicas'));
  const cluster = undo.use(await startPatroni());
  const catalog = writeCatalog(join(folder.path, 'catalog'), { species });
  await makePageImage(sharedDocker());
  const proxies: SeverableProxy[] = [];
  for (const name of cluster.names) {
    proxies.push(undo.use(await severableProxy(Number(new URL(cluster.urlOf(name)).port))));
  }
  const hosts = proxies.map(({ port }) => `127.0.0.1:${port}`);
  const cuttable = `postgres://hortus@${hosts.join(',')}/postgres?target_session_attrs=read-write`;
  const key = newAdminKey();
  const start = (index: number, again?: ServiceProcess) =>
    startService({
      directory: join(folder.path, `replica-${index}`),
      key,
      ...(again && { port: Number(new URL(again.root).port) }),
      env: {
        HORTUS_DATABASE_URL: index === COUNT - 1 ? cuttable : cluster.url,
        HORTUS_DATABASE_READS: index === READS_STANDBY ? 'standby' : 'primary',
        HORTUS_MASTER_KEY: Buffer.alloc(32, 5).toString('base64'),
        HORTUS_CATALOG_DIR: catalog,
        HORTUS_TRUSTED_PROXIES: '127.0.0.1',
        HORTUS_ALLOW_PLAINTEXT_MANIFEST: 'true',
        HORTUS_STREAM_LIMITS: 'account=2000,total=2000',
        HORTUS_QUOTAS: 'enterprise.keys=1000000',
      },
    });
  const services = await Promise.all(Array.from({ length: COUNT }, (_, index) => start(index)));
  undo.defer(() => Promise.all(services.map(({ process }) => process.stop())).then(() => undefined));
  const caddy = await startLoadBalancer(
    join(folder.path, 'caddy'),
    services.map(({ root }) => root),
  );
  undo.use(caddy.process);
  const base = `${caddy.root}/api/v1`;
  const rest = undo.move();
  return {
    cluster,
    services,
    key,
    folder: folder.path,
    root: caddy.root,
    base,
    client: createClient({
      baseUrl: base,
      key,
      retries: { attempts: 30, baseMs: 100, maxMs: 6_000 },
      timeoutMs: 60_000,
    }),
    cut: () => {
      for (const proxy of proxies) proxy.cut();
    },
    mend: () => {
      for (const proxy of proxies) proxy.mend();
    },
    balanced: () => awaitBalance(caddy.root, COUNT),
    kill: async (index) => void (await services[index]?.process.kill('SIGKILL')),
    async restart(index) {
      services[index] = await start(index, services[index]);
    },
    [Symbol.asyncDispose]: () => rest.disposeAsync(),
  };
}

/** Client of one replica, without retries. */
export const directly = ({ services, key }: Replicas, index: number): Client =>
  clientOf(services[index]?.base as string, key);
