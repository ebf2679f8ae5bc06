import { until } from '@hortus/testkit/until';
import { DaemonSocket } from '../../../testing/daemon-socket.ts';
import type { Engine } from '../../../testing/engines.ts';
import { startApp } from '../../../testing/running-service.ts';

/** Starts a service with one server, whose daemon completes every action at once, and offers shortcuts for tenants. */
export async function startServiceWithServer(engine: Engine) {
  const service = await startApp(engine);
  const { client, request, database } = service;
  const server = (await client.call('servers.register', { body: { name: 'server-1', environment: 'staging' } })).data;
  let number = 0;

  const system = {
    service,
    serverId: server.id,
    serverKey: server.api_key,
    /** Actions requested from the daemon, oldest first. */
    eventsOf: [] as { instanceId: string; slug: string }[],

    async connectDaemon(): Promise<void> {
      const daemon = new DaemonSocket(`${service.base.replace('http', 'ws')}/ws/server`, {
        auth: { api_key: server.api_key, capabilities: ['ack', 'builtin'] },
      });
      engine.afterwards(() => daemon.socket.terminate());
      daemon.socket.on('message', (data) => {
        const { type, execution_id, instance_id, action } = JSON.parse(String(data));
        if (type !== 'action_request') return;
        system.eventsOf.push({ instanceId: instance_id, slug: action.slug });
        daemon.send({ type: 'action_started', execution_id });
        daemon.send({ type: 'action_completed', execution_id, exit_code: 0, output: '' });
      });
      await daemon.received('authenticated');
    },

    /** Waits until no execution is pending or running. */
    atRest: () =>
      until(
        async () => {
          const open = database.db.selectFrom('executions').select('id');
          return (await open.where('status', 'in', ['pending', 'sent', 'running']).execute()).length === 0;
        },
        { describe: 'every execution to end' },
      ),

    async tenant(name = `ServiceWithServer ${++number}`) {
      return (await client.call('tenants.create', { body: { name, server_id: server.id } })).data;
    },
    read: async (id: string) => (await client.call('tenants.read', { params: { id } })).data,
    move: (id: string, move: 'suspend' | 'resume' | 'active') => request('PATCH', `/tenants/${id}/${move}`),
    async define(tenant_id: string): Promise<string> {
      const instance_uid = `blog-${++number}`;
      // Host names must be unique on a server.
      const inputs = { WEB_HOSTNAME: `${instance_uid}.example.org` };
      const body = { species: 'inkwell', instance_uid, server_id: server.id, inputs, tenant_id };
      return (await client.call('definitions.create', { body })).data.id;
    },
    deploy: (definition_id: string) => request('POST', '/deployments/execute', { body: { definition_id } }),
    async succeed(deploymentId: string): Promise<void> {
      const params = { id: deploymentId };
      await client.call('deployments.status', { params, body: { status: 'success' } });
    },
    async instanceOf(definition_id: string) {
      const [instance] = (await client.call('instances.list', { query: { definition_id } })).data;
      if (!instance) throw new Error('There is no instance.');
      return instance;
    },
    /** Creates a definition and deploys it. */
    async running(tenantId: string): Promise<{ definitionId: string; instanceId: string }> {
      const definitionId = await system.define(tenantId);
      await system.succeed((await system.deploy(definitionId)).json.data.id);
      return { definitionId, instanceId: (await system.instanceOf(definitionId)).id };
    },
    /** Types of the events of a tenant, oldest first. */
    async events(tenantId: string): Promise<string[]> {
      const rows = database.db.selectFrom('events').select('type').where('resource_id', '=', tenantId);
      return (await rows.orderBy('position').execute()).map(({ type }) => type);
    },
  };
  return system;
}

export type ServiceWithServer = Awaited<ReturnType<typeof startServiceWithServer>>;
