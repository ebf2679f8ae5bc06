import { createClient } from '@hortus/client/client';
import { ApiProblem } from '@hortus/client/problem';
import type { MigrationDetail, MigrationOrder } from '@hortus/contract/resources/migrations';
import { until } from '@hortus/testkit/until';
import { DaemonSocket } from '../../../testing/daemon-socket.ts';
import type { Engine } from '../../../testing/engines.ts';
import { type RunningService, startApp } from '../../../testing/running-service.ts';

/** A server whose daemon completes every action at once; the test completes transfers and deployments. */
class ServerWithDaemon {
  readonly id: string;
  readonly key: string;
  readonly #service: RunningService;
  /** Slugs of the requested actions, oldest first. */
  readonly eventsOf: string[] = [];
  /** Their commands. */
  readonly commands: string[] = [];
  #socket: DaemonSocket | undefined;
  /** Slugs of actions that fail. */
  readonly fails = new Set<string>();
  /** Runs before an action ends. */
  beforeEnd: () => Promise<void> = async () => {};

  constructor(service: RunningService, { id, api_key }: { id: string; api_key: string }) {
    this.#service = service;
    this.id = id;
    this.key = api_key;
  }

  get client() {
    return createClient({ baseUrl: this.#service.base, key: this.key, retries: { attempts: 1 } });
  }

  /** Replaces the connection. `transfers`: its capabilities for them; null for a daemon of the published interface. */
  async connect(engine: Engine, transfers: readonly string[] | null = ['transfer', 'transfer-stream']): Promise<this> {
    const daemon = new DaemonSocket(`${this.#service.base.replace('http', 'ws')}/ws/server`, {
      auth: { api_key: this.key, capabilities: transfers === null ? [] : ['ack', 'builtin', ...transfers] },
    });
    const [replaced] = [this.#socket];
    this.#socket = daemon;
    engine.afterwards(() => daemon.socket.terminate());
    daemon.socket.on('message', async (data) => {
      const { type, execution_id, action } = JSON.parse(String(data));
      if (type !== 'action_request') return;
      this.eventsOf.push(action.slug);
      this.commands.push(action.command.join(' '));
      daemon.send({ type: 'action_started', execution_id });
      await this.beforeEnd();
      if (this.fails.has(action.slug)) daemon.send({ type: 'action_failed', execution_id, error: 'It cannot.' });
      else daemon.send({ type: 'action_completed', execution_id, exit_code: 0, output: '' });
    });
    // A daemon of the published interface receives no reply.
    await (transfers === null ? replaced?.closed : daemon.received('authenticated'));
    return this;
  }

  /** Reports the given end for every pending transfer to this server. */
  async receiveAll(status: 'completed' | 'failed', error?: string): Promise<void> {
    const { data } = await this.client.call('transfers.pending', { query: {} });
    for (const { id, order } of data) {
      if (order?.role !== 'receive') continue;
      const body = { status, bytes: 2048, chunks: 1, carried_bytes: 2048, ...(error !== undefined && { error }) };
      await this.client.call('transfers.report', { params: { id }, body }).catch(unlessEnded);
    }
  }

  /** Takes every pending deployment and reports the given end. */
  async deployAll(status: 'success' | 'failed'): Promise<void> {
    const { data } = await this.client.call('deployments.pending', { query: {} });
    for (const { id } of data)
      await this.client.call('deployments.status', {
        params: { id },
        body: { status, ...(status === 'failed' && { error: 'It never became healthy.' }) },
      });
  }
}

/** Ignores a report about a transfer that ended meanwhile: one failure cancels the others. */
function unlessEnded(error: unknown): void {
  if (!(error instanceof ApiProblem) || error.details?.reason !== 'final') throw error;
}

/** Starts a service with two servers and a tenant on the first. */
export async function openTwoServers(engine: Engine, graceMinutes = 0) {
  const service = await startApp(engine, { migrationGraceMinutes: graceMinutes });
  const { client } = service;
  const register = async (name: string) => {
    const { data } = await client.call('servers.register', { body: { name, environment: 'staging' } });
    return await new ServerWithDaemon(service, data).connect(engine);
  };
  const [here, there] = [await register('here'), await register('there')];
  const tenant = (await client.call('tenants.create', { body: { name: 'Roses', server_id: here.id } })).data;
  let number = 0;
  const define = async (tenant_id: string | undefined = tenant.id) => {
    const instance_uid = `blog-${++number}`;
    const inputs = { WEB_HOSTNAME: `${instance_uid}.example.org` };
    const body = { species: 'inkwell', instance_uid, server_id: here.id, inputs, ...(tenant_id && { tenant_id }) };
    return (await client.call('definitions.create', { body })).data.id;
  };
  const deploy = async (tenant_id?: string) => {
    const definition_id = await define(tenant_id);
    await client.call('deployments.execute', { body: { definition_id } });
    await here.deployAll('success');
    return definition_id;
  };
  const read = async (id: string): Promise<MigrationDetail> =>
    (await client.call('migrations.read', { params: { id } })).data;
  return {
    service,
    client,
    here,
    there,
    tenant,
    define,
    deploy,
    read,
    async migrate(order: Partial<MigrationOrder> = {}) {
      const body = { server_id: there.id, ...order };
      return (await client.call('tenants.migrate', { params: { id: tenant.id }, body })).data;
    },
    async becomes(id: string, status: MigrationDetail['status']): Promise<MigrationDetail> {
      let last: MigrationDetail | undefined;
      return await until(
        async () => {
          last = await read(id);
          return last.status === status && last;
        },
        { describe: () => `it to be ${status}; it is ${JSON.stringify(last, null, 1)}` },
      );
    },
    definition: async (id: string) => (await client.call('definitions.read', { params: { id } })).data,
    instanceOf: async (definition_id: string) =>
      (await client.call('instances.list', { query: { definition_id } })).data[0],
    tenantNow: async () => (await client.call('tenants.read', { params: { id: tenant.id } })).data,
  };
}
