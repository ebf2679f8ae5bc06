import { until } from '@hortus/testkit/until';
import { DaemonSocket } from '../../../testing/daemon-socket.ts';
import type { Engine } from '../../../testing/engines.ts';
import { startApp } from '../../../testing/running-service.ts';

/** A service with a server whose daemon does at once what it is told, and ways to plant tenants on it. */
export async function plantNursery(engine: Engine) {
  const service = await startApp(engine);
  const { client, request, sideDoor } = service;
  const shed = (await client.call('servers.register', { body: { name: 'shed', environment: 'staging' } })).data;
  let number = 0;

  const nursery = {
    service,
    serverId: shed.id,
    serverKey: shed.api_key,
    /** What the daemon has been told, oldest first, once it is connected. */
    told: [] as { instanceId: string; slug: string }[],

    async connectDaemon(): Promise<void> {
      const daemon = new DaemonSocket(`${service.base.replace('http', 'ws')}/ws/server`, {
        auth: { api_key: shed.api_key, capabilities: ['ack', 'builtin'] },
      });
      engine.afterwards(() => daemon.socket.terminate());
      daemon.socket.on('message', (data) => {
        const { type, execution_id, instance_id, action } = JSON.parse(String(data));
        if (type !== 'action_request') return;
        nursery.told.push({ instanceId: instance_id, slug: action.slug });
        daemon.send({ type: 'action_started', execution_id });
        daemon.send({ type: 'action_completed', execution_id, exit_code: 0, output: '' });
      });
      await daemon.received('authenticated');
    },

    /** Until the daemon has done all that it was told. */
    atRest: () =>
      until(
        async () => {
          const open = sideDoor.db.selectFrom('executions').select('id');
          return (await open.where('status', 'in', ['pending', 'sent', 'running']).execute()).length === 0;
        },
        { describe: 'every execution to end' },
      ),

    async tenant(name = `Nursery ${++number}`) {
      return (await client.call('tenants.create', { body: { name, server_id: shed.id } })).data;
    },
    read: async (id: string) => (await client.call('tenants.read', { params: { id } })).data,
    move: (id: string, move: 'suspend' | 'resume' | 'active') => request('PATCH', `/tenants/${id}/${move}`),
    async define(tenant_id: string): Promise<string> {
      const instance_uid = `plant-${++number}`;
      // One of its own: two definitions of a server cannot have the same.
      const inputs = { WEB_HOSTNAME: `${instance_uid}.example.org` };
      const body = { species: 'inkwell', instance_uid, server_id: shed.id, inputs, tenant_id };
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
    /** Defined, deployed and running. */
    async running(tenantId: string): Promise<{ definitionId: string; instanceId: string }> {
      const definitionId = await nursery.define(tenantId);
      await nursery.succeed((await nursery.deploy(definitionId)).json.data.id);
      return { definitionId, instanceId: (await nursery.instanceOf(definitionId)).id };
    },
    /** Types of the events of a tenant, oldest first. */
    async events(tenantId: string): Promise<string[]> {
      const rows = sideDoor.db.selectFrom('events').select('type').where('resource_id', '=', tenantId);
      return (await rows.orderBy('position').execute()).map(({ type }) => type);
    },
  };
  return nursery;
}

export type Nursery = Awaited<ReturnType<typeof plantNursery>>;
