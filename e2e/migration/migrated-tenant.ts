import { cpSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { ApiProblem } from '@hortus/client/problem';
import type { MigrationDetail, MigrationOrder } from '@hortus/contract/resources/migrations';
import { makeStandIns } from '@hortus/testkit/debian-images';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { catalogFolder, editions, imagesOf, readCatalog } from '../catalog/paper.ts';
import { inside } from '../docker/installation.ts';
import { openTwoServers, type ServerWithEngine, type TwoServers } from './two-servers.ts';

const species = ['postgres', 'redis'] as const;

/** A tenant with two databases on the first of two servers; shows where it runs and what its databases contain. */
export class MigratedTenant implements AsyncDisposable {
  readonly all: TwoServers;
  /** Id of the server that the test expects it on. */
  home: string;
  readonly #tenantId: string;
  readonly #written: string[] = [];
  readonly #opened: AsyncDisposableStack;

  constructor(all: TwoServers, tenantId: string, opened: AsyncDisposableStack) {
    this.all = all;
    this.home = all.servers[0].serverId;
    this.#tenantId = tenantId;
    this.#opened = opened;
  }

  async tenant() {
    return (await this.all.service.client.call('tenants.read', { params: { id: this.#tenantId } })).data;
  }

  async migrate(to: ServerWithEngine, options: Partial<MigrationOrder> = {}) {
    const body = { server_id: to.serverId, ...options };
    return (await this.all.service.client.call('tenants.migrate', { params: { id: this.#tenantId }, body })).data;
  }

  /** Undefined while the service is down. */
  async read(id: string): Promise<MigrationDetail | undefined> {
    try {
      return (await this.all.service.client.call('migrations.read', { params: { id } })).data;
    } catch (error) {
      if (error instanceof ApiProblem && error.code === 'NETWORK') return undefined;
      throw error;
    }
  }

  async settled(id: string, within = 120_000): Promise<MigrationDetail> {
    let last: MigrationDetail | undefined;
    const poll = async () => {
      last = (await this.read(id)) ?? last;
      return (last?.status === 'completed' || last?.status === 'failed') && last;
    };
    const daemons = () => this.all.servers.map(({ name, daemon }) => `${name}:\n${daemon.output.slice(-3_000)}`);
    return await until(poll, {
      within,
      every: 20,
      describe: () => `the migration to end; it is ${JSON.stringify(last, null, 1)}\n${daemons().join('\n')}`,
    });
  }

  /** Returns the names of the servers where it runs. */
  async sides(): Promise<string[]> {
    const sides: string[] = [];
    for (const { name, engine } of this.all.servers) {
      const containers = await engine.containers({ labels: { 'hortus.managed': 'true' } });
      if (containers.some(({ state }) => state === 'running')) sides.push(name);
    }
    return sides;
  }

  /** Writes a row to the database wherever it runs; a database that is stopping may refuse it. */
  async write(text: string): Promise<void> {
    for (const server of this.all.servers) {
      const table = 'create table if not exists rows (id serial primary key, text text)';
      const wrote = await this.#sql(server, `${table}; insert into rows (text) values ('${text}')`).catch(() => '');
      if (wrote.includes('INSERT')) this.#written.push(text);
    }
  }

  get written(): readonly string[] {
    return this.#written;
  }

  async rows(server: ServerWithEngine): Promise<string[]> {
    return (await this.#sql(server, 'select text from rows order by id')).trim().split('\n');
  }

  /** Lists all Hortus objects on an engine. */
  async leftOn({ engine }: ServerWithEngine): Promise<string[]> {
    const labels = { 'hortus.managed': 'true' };
    return [
      ...(await engine.containers({ labels })).map(({ name }) => name),
      ...(await engine.volumes({ labels })).map(({ name }) => name),
      ...(await engine.networks({ labels })).map(({ name }) => name),
    ];
  }

  async #sql({ engine }: ServerWithEngine, text: string): Promise<string> {
    const labels = { 'hortus.instance': 'postgres', 'hortus.primary': 'true' };
    const [container] = await engine.containers({ labels });
    if (container?.state !== 'running') return '';
    return await inside(engine, container.id, 'psql', '-U', 'app', '-h', '/var/run/postgresql', 'app', '-Atc', text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened.disposeAsync();
  }
}

export async function openMigratedTenant(env: Record<string, string> = {}): Promise<MigratedTenant> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(temporaryFolder('migrated'));
  for (const slug of species) {
    const [place = ''] = globSync(`*/${slug}`, { cwd: catalogFolder });
    cpSync(join(catalogFolder, place), join(folder.path, place), { recursive: true });
  }
  const wanted = new Set<string>();
  for (const [slug, spec] of await readCatalog(folder.path))
    for (const { manifest } of await editions(spec, slug)) for (const image of imagesOf(manifest)) wanted.add(image);
  const images = async (socketPath: string) => (await makeStandIns(socketPath, wanted)).substitutes;
  const all = opened.use(await openTwoServers({ catalog: folder.path, images, env }));
  const { client } = all.service;
  const server_id = all.servers[0].serverId;
  const { id: tenant_id } = (await client.call('tenants.create', { body: { name: 'Rose MigratedTenant', server_id } }))
    .data;
  for (const slug of species) {
    const body = { species: slug, instance_uid: slug, server_id, tenant_id, inputs: {}, watch_seconds: 0 };
    const { data } = await client.call('definitions.create', { body });
    const { id } = (await client.call('deployments.execute', { body: { definition_id: data.id } })).data;
    const ended = async () => {
      const { data: deployment } = await client.call('deployments.read', { params: { id } });
      if (deployment.status === 'failed') throw new Error(`${slug} was not deployed: ${deployment.error}`);
      return deployment.status === 'success';
    };
    await until(ended, { within: 120_000, describe: `${slug} to be deployed` });
  }
  return new MigratedTenant(all, tenant_id, opened.move());
}
