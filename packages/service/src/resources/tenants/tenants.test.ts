import { beforeAll, describe, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { type ServiceWithServer, startServiceWithServer } from './testing/service-with-server.ts';

onBothEngines((engine) => {
  let system: ServiceWithServer;
  beforeAll(async () => {
    system = await startServiceWithServer(engine);
  });
  const post = (body: object) => system.service.request('POST', '/tenants', { body });
  const del = (id: string, query = '') => system.service.request('DELETE', `/tenants/${id}${query}`);

  describe('a new tenant', () => {
    it('belongs to a server, with a slug made from its name', async () => {
      const { status, json } = await post({ name: 'Müller & Söhne', server_id: system.serverId });
      expect(status).toBe(201);
      expect(json.data).toMatchObject({
        name: 'Müller & Söhne',
        slug: 'muller-sohne',
        server_id: system.serverId,
        status: 'pending',
        definitions_count: 0,
        instances_count: 0,
        running_count: 0,
        suspended_at: null,
      });
      expect(await system.read(json.data.id)).toEqual(json.data);
      expect(await system.events(json.data.id)).toEqual(['audit.tenant_created']);
    });

    it('needs a server of the account and a free slug', async () => {
      const outsider = await system.service.addAccount();
      const theirs = await outsider.client.call('servers.register', { body: { name: 'x', environment: 'staging' } });
      for (const server_id of [theirs.data.id, 'srv_nowhere'])
        expectRefusal(await post({ name: 'A', server_id }), 'VALIDATION_ERROR', 'server_id');
      expectRefusal(await post({ name: '?!', server_id: system.serverId }), 'VALIDATION_ERROR', 'name');
      const body = { name: 'B', slug: 'taken', server_id: system.serverId };
      const first = (await post(body)).json.data;
      const second = await post(body);
      expectRefusal(second, 'VALIDATION_ERROR', 'slug');
      expect(second.json.error.details.reason).toBe('taken');
      // Without a slug the caller knows only the name.
      const { slug: _, ...named } = { ...body, name: 'Second Avenue' };
      expect((await post(named)).status).toBe(201);
      for (const name of ['Second Avenue', 'second avenue'])
        expectRefusal(await post({ ...named, name }), 'VALIDATION_ERROR', 'name');
      // Another account may use the same slug, and so may we once ours is deleted.
      expect(
        (await outsider.request('POST', '/tenants', { body: { ...body, server_id: theirs.data.id } })).status,
      ).toBe(201);
      await del(first.id);
      expect((await post(body)).status).toBe(201);
    });

    it('becomes active on request, or by its first successful deployment', async () => {
      const byWord = await system.tenant();
      expect((await system.move(byWord.id, 'active')).json.data.status).toBe('active');
      expect((await system.move(byWord.id, 'active')).json.data.status).toBe('active');
      expect(await system.events(byWord.id)).toEqual(['audit.tenant_created', 'audit.tenant_active']);
      const byDeed = await system.tenant();
      await system.running(byDeed.id);
      expect(await system.read(byDeed.id)).toMatchObject({
        status: 'active',
        definitions_count: 1,
        instances_count: 1,
        running_count: 1,
      });
    });
  });

  describe('a definition of a tenant', () => {
    it('runs on the server of the tenant, and is listed with it', async () => {
      const { service, serverId } = system;
      const tenant = await system.tenant();
      const definitionId = await system.define(tenant.id);
      await system.define((await system.tenant()).id);
      const listed = await service.client.call('definitions.list', { query: { tenant_id: tenant.id } });
      expect(listed.data.map(({ id, tenant_id }) => [id, tenant_id])).toEqual([[definitionId, tenant.id]]);

      const elsewhere = await service.client.call('servers.register', { body: { name: 'y', environment: 'staging' } });
      const order = { species: 'courier', instance_uid: 'x', inputs: { API_TOKEN: 'abcdef' } };
      const ask = (more: object) => service.request('POST', '/definitions', { body: { ...order, ...more } });
      const other = await ask({ server_id: elsewhere.data.id, tenant_id: tenant.id });
      expectRefusal(other, 'VALIDATION_ERROR', 'server_id');
      expect(other.json.error).toMatchObject({ message: expect.stringContaining(tenant.slug) });
      expectRefusal(await ask({ server_id: serverId, tenant_id: 'ten_nobody' }), 'VALIDATION_ERROR', 'tenant_id');
      const gone = await system.tenant();
      await del(gone.id);
      expectRefusal(await ask({ server_id: serverId, tenant_id: gone.id }), 'VALIDATION_ERROR', 'tenant_id');
    });
  });

  describe('the list of tenants', () => {
    it('filters by server and status; deleted ones only on request', async () => {
      const { service } = system;
      const server = await service.client.call('servers.register', { body: { name: 'z', environment: 'staging' } });
      const server_id = server.data.id;
      const make = async (name: string) =>
        (await service.client.call('tenants.create', { body: { name, server_id } })).data.id;
      const [a, b, c] = [await make('list a'), await make('list b'), await make('list c')];
      await system.move(b, 'suspend');
      await del(c);
      const ids = async (query: object) =>
        (await service.client.call('tenants.list', { query: { server_id, ...query } })).data.map(({ id }) => id);
      expect(await ids({})).toEqual([b, a]);
      expect(await ids({ status: 'suspended' })).toEqual([b]);
      expect(await ids({ status: 'deleted' })).toEqual([c]);
      expect(await ids({ per_page: 1, page: 2 })).toEqual([a]);
    });
  });

  describe('deleting a tenant', () => {
    it('is refused while definitions belong to it', async () => {
      const tenant = await system.tenant();
      const definitionId = await system.define(tenant.id);
      const refused = await del(tenant.id);
      expectRefusal(refused, 'VALIDATION_ERROR', 'id');
      expect(refused.json.error.details).toMatchObject({ reason: 'in_use', definitions: 1 });
      await system.service.client.call('definitions.archive', { params: { id: definitionId } });
      expect((await del(tenant.id)).json.data).toMatchObject({
        id: tenant.id,
        status: 'deleted',
        definitions_count: 0,
      });
      expect(await del(tenant.id)).toMatchObject({ status: 200, json: { data: { status: 'deleted' } } });
      expectRefusal(await system.move(tenant.id, 'suspend'), 'VALIDATION_ERROR', 'status');
    });

    it('by force archives its definitions and removes their containers; a reactivated one has no tenant', async () => {
      const { client, database } = system.service;
      const tenant = await system.tenant();
      const { definitionId, instanceId } = await system.running(tenant.id);
      const waiting = (await system.deploy(definitionId)).json.data.id;
      expect((await del(tenant.id, '?force=true')).status).toBe(200);
      const definition = await client.call('definitions.read', { params: { id: definitionId } });
      expect(definition.data).toMatchObject({ status: 'archived', tenant_id: tenant.id });
      expect((await client.call('deployments.read', { params: { id: waiting } })).data.reason).toBe('cancelled');
      const ordered = database.db.selectFrom('executions').select('slug').where('instance_id', '=', instanceId);
      expect(await ordered.orderBy('id').execute()).toEqual([{ slug: 'hortus.stop' }, { slug: 'hortus.release' }]);
      expect(await system.events(tenant.id)).toEqual([
        'audit.tenant_created',
        'audit.tenant_active',
        'audit.tenant_deleted',
      ]);
      const back = await client.call('definitions.activate', { params: { id: definitionId } });
      expect(back.data).toMatchObject({ status: 'active', tenant_id: null });
      expect((await system.deploy(definitionId)).status).toBe(201);
    });
  });
});
