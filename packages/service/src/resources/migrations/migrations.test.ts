import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { ApiProblem } from '@hortus/client/problem';
import { Link } from '@hortus/client/transfer/link';
import { transferContext } from '@hortus/template/sealing/contexts';
import { openFields } from '@hortus/template/sealing/sealed-fields';
import { sealingKeyText } from '@hortus/template/sealing/sealing-key';
import { SEED } from '@hortus/template/testing/inkwell';
import { until } from '@hortus/testkit/until';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { onBothEngines } from '../../testing/engines.ts';
import { isAtRest } from '../../testing/table-contents.ts';
import { openTwoServers } from './testing/two-servers.ts';

const refusal = (of: Promise<unknown>) =>
  of.then(
    () => expect.fail('the request was not refused'),
    (error: unknown) => {
      if (!(error instanceof ApiProblem)) throw error;
      return { status: error.status, reason: error.details?.reason, message: error.message };
    },
  );

onBothEngines((engine) => {
  describe('a migration of a tenant', () => {
    it('changes its server once, when everything runs on the target', async () => {
      const { service, here, there, deploy, define, migrate, becomes, definition, instanceOf, tenantNow } =
        await openTwoServers(engine);
      const running = [await deploy(), await deploy()];
      const never = await define();
      const before = await instanceOf(running[0] ?? '');
      const { plan, migration } = await migrate();
      expect(plan.definitions.map((definition) => definition.running)).toEqual([true, true, false]);
      const id = migration?.id ?? '';
      await becomes(id, 'copying');
      expect(await tenantNow()).toMatchObject({ status: 'migrating', server_id: here.id });
      expect(here.eventsOf).toEqual([]);
      await there.receiveAll('completed');
      const moving = await becomes(id, 'moving');
      expect(here.eventsOf).toEqual(['hortus.stop', 'hortus.stop']);
      expect(moving.transfers.filter(({ mode }) => mode === 'import')).toHaveLength(4);
      await there.receiveAll('completed');
      await becomes(id, 'starting');
      expect(await definition(running[0] ?? '')).toMatchObject({ server_id: here.id });
      await there.deployAll('success');
      const end = await becomes(id, 'completed');
      expect(end.downtime_ms).toBeGreaterThan(0);
      expect(end.switched_at).not.toBeNull();
      for (const text of [...running, never]) expect(await definition(text)).toMatchObject({ server_id: there.id });
      const after = await instanceOf(running[0] ?? '');
      expect(after).toMatchObject({ id: before?.id, server_id: there.id, status: 'running' });
      expect(here.eventsOf.slice(2)).toEqual(['hortus.clear', 'hortus.clear']);
      expect(there.eventsOf).toEqual([]);
      expect(await tenantNow()).toMatchObject({ status: 'active', server_id: there.id });
      const types = (await service.eventsOf()).map(({ type }) => type);
      for (const type of ['ordered', 'switched', 'completed']) expect(types).toContain(`audit.migration_${type}`);
      expect(types.filter((type) => type === 'audit.definition_migrated')).toHaveLength(3);
    });

    it('without volumes needs only the published messages', async () => {
      const { client, here, there, tenant, migrate, becomes, instanceOf, tenantNow } = await openTwoServers(engine);
      const { id } = (await client.call('drafts.create', { body: { source: SEED } })).data;
      await client.call('drafts.validate', { params: { id } });
      await client.call('drafts.promote', { params: { id } });
      const body = { species: 'seed', instance_uid: 'seed', server_id: here.id, inputs: {}, tenant_id: tenant.id };
      const { id: definition_id } = (await client.call('definitions.create', { body })).data;
      await client.call('deployments.execute', { body: { definition_id } });
      await here.deployAll('success');
      const instance = await instanceOf(definition_id);
      const sync = (from: typeof here, container_id: string) =>
        from.client.call('instances.syncComponents', {
          body: { instance_id: instance?.id ?? '', components: [{ name: 'main', status: 'running', container_id }] },
        });
      const report = { definition_id, container_name: 'seed-here', status: 'running' as const };
      await here.client.call('instances.report', { body: { instances: [report] } });
      await sync(here, 'c-here');
      await here.connect(engine, null);
      await there.connect(engine, null);
      const { plan, migration } = await migrate();
      expect(plan).toMatchObject({ blockers: [], warnings: [] });
      await becomes(migration?.id ?? '', 'starting');
      await there.deployAll('success');
      await becomes(migration?.id ?? '', 'completed');
      expect(here.commands).toEqual(['docker stop seed-here', 'docker rm --force seed-here']);
      expect(there.commands).toEqual([]);
      expect(await instanceOf(definition_id)).toMatchObject({ server_id: there.id, status: 'running' });
      expect(await tenantNow()).toMatchObject({ status: 'active', server_id: there.id });
    });

    it('continues when a report contradicts the end of a stop for a moment', async () => {
      const { service, here, there, deploy, migrate, becomes, instanceOf } = await openTwoServers(engine);
      const [first, second] = [await deploy(), await deploy()];
      const reportFirst = async (status: 'running' | 'stopped') => {
        await here.client.call('instances.report', { body: { instances: [{ definition_id: first, status }] } });
      };
      const becomesStopped = (definition: string) =>
        until(async () => (await instanceOf(definition))?.status === 'stopped', { describe: 'the stop' });
      here.beforeEnd = async () => {
        if (here.eventsOf.length !== 2) return;
        await becomesStopped(first);
        await reportFirst('running');
      };
      const id = (await migrate()).migration?.id ?? '';
      await becomes(id, 'copying');
      await there.receiveAll('completed');
      await becomesStopped(second);
      // The migration has looked at what the stops left, and found the first running.
      await until(() => isAtRest(service.database), { describe: 'every job to be over' });
      await reportFirst('stopped');
      await becomes(id, 'moving');
    });

    it('reports obstacles before anything is done', async () => {
      const { here, service, client, deploy, migrate, tenantNow } = await openTwoServers(engine);
      await deploy();
      const away = (await client.call('servers.register', { body: { name: 'away', environment: 'staging' } })).data;
      const blockers = async (server_id: string) =>
        (await migrate({ server_id, dry_run: true })).plan.blockers.map(({ reason }) => reason);
      expect(await blockers(here.id)).toEqual(['same_server']);
      const nowhere = { status: 422, reason: 'unknown' };
      expect(await refusal(migrate({ server_id: 'srv_nowhere', dry_run: true }))).toMatchObject(nowhere);
      expect((await migrate({ server_id: away.id, dry_run: true })).plan).toMatchObject({
        blockers: [],
        warnings: [{ reason: 'offline' }],
      });
      expect(await refusal(migrate({ server_id: here.id }))).toMatchObject({ status: 422, reason: 'same_server' });
      expect(await tenantNow()).toMatchObject({ status: 'active' });
      const neighbour = await service.addAccount();
      const theirs = await neighbour.client.call('servers.register', { body: { name: 'x', environment: 'staging' } });
      expect(await refusal(migrate({ server_id: theirs.data.id, dry_run: true }))).toMatchObject(nowhere);
    });

    it('blocks other changes, and can be cancelled', async () => {
      const { client, here, there, deploy, migrate, becomes, instanceOf, tenantNow } = await openTwoServers(engine);
      const definition_id = await deploy();
      const instance = await instanceOf(definition_id);
      const id = (await migrate()).migration?.id ?? '';
      await becomes(id, 'copying');
      const params = { id: instance?.id ?? '' };
      expect(await refusal(client.call('instances.stop', { params }))).toMatchObject({ reason: 'migrating' });
      expect(await refusal(client.call('instances.release', { params, body: {} }))).toMatchObject({
        reason: 'migrating',
      });
      const archive = client.call('definitions.archive', { params: { id: definition_id } });
      expect(await refusal(archive)).toMatchObject({ reason: 'migrating' });
      expect(await refusal(migrate())).toMatchObject({ status: 422 });
      await client.call('migrations.cancel', { params: { id } });
      expect(await becomes(id, 'failed')).toMatchObject({ reason: 'cancelled', downtime_ms: 0 });
      expect([...here.eventsOf, ...there.eventsOf]).toEqual([]);
      expect(await tenantNow()).toMatchObject({ status: 'active', server_id: here.id });
      expect((await there.client.call('transfers.pending', { query: {} })).data).toEqual([]);
    });
  });

  describe('a failure leaves it running on the source', () => {
    it('when the last copy fails', async () => {
      const { here, there, deploy, migrate, becomes, instanceOf } = await openTwoServers(engine);
      const definition = await deploy();
      const id = (await migrate()).migration?.id ?? '';
      await becomes(id, 'copying');
      // The first copy may fail: the last one then transfers everything.
      await there.receiveAll('failed', 'A file became shorter.');
      await becomes(id, 'moving');
      await there.receiveAll('failed', 'No space left.');
      const end = await becomes(id, 'failed');
      expect(end).toMatchObject({ reason: 'transfer', error: expect.stringContaining('No space left.') });
      expect(end.downtime_ms).toBeGreaterThan(0);
      expect(here.eventsOf).toEqual(['hortus.stop', 'hortus.start']);
      expect(there.eventsOf).toEqual(['hortus.clear']);
      expect(await instanceOf(definition)).toMatchObject({ server_id: here.id, status: 'running' });
    });

    it('when one of its definitions does not become healthy on the target', async () => {
      const { client, here, there, deploy, migrate, becomes, definition, tenantNow } = await openTwoServers(engine);
      const definitions = [await deploy(), await deploy()];
      const id = (await migrate()).migration?.id ?? '';
      await becomes(id, 'copying');
      await there.receiveAll('completed');
      await becomes(id, 'moving');
      await there.receiveAll('completed');
      await becomes(id, 'starting');
      const { data } = await there.client.call('deployments.pending', { query: {} });
      const report = (index: number, status: 'success' | 'failed') =>
        there.client.call('deployments.status', { params: { id: data[index]?.id ?? '' }, body: { status } });
      await report(0, 'success');
      await report(1, 'failed');
      expect(await becomes(id, 'failed')).toMatchObject({ reason: 'deployment' });
      expect(there.eventsOf).toEqual(['hortus.clear', 'hortus.clear']);
      expect(here.eventsOf).toEqual(['hortus.stop', 'hortus.stop', 'hortus.start', 'hortus.start']);
      for (const text of definitions) expect(await definition(text)).toMatchObject({ server_id: here.id });
      expect(await tenantNow()).toMatchObject({ status: 'active', server_id: here.id });
      // It can be migrated again, and changed otherwise.
      await client.call('deployments.execute', { body: { definition_id: definitions[0] ?? '' } });
    });

    it('when it cannot be stopped', async () => {
      const { here, there, deploy, migrate, becomes } = await openTwoServers(engine);
      await deploy();
      here.fails.add('hortus.stop');
      const id = (await migrate()).migration?.id ?? '';
      await becomes(id, 'copying');
      await there.receiveAll('completed');
      expect(await becomes(id, 'failed')).toMatchObject({ reason: 'stop' });
      expect(here.eventsOf).toEqual(['hortus.stop', 'hortus.start']);
    });
  });

  it('the source keeps its data for the configured time', async () => {
    const { here, there, deploy, migrate, becomes } = await openTwoServers(engine, 60);
    await deploy();
    const id = (await migrate()).migration?.id ?? '';
    await becomes(id, 'copying');
    await there.receiveAll('completed');
    await becomes(id, 'moving');
    await there.receiveAll('completed');
    await becomes(id, 'starting');
    await there.deployAll('success');
    const end = await becomes(id, 'switched');
    expect(Date.parse(end.release_at ?? '') - Date.parse(end.switched_at ?? '')).toBe(3_600_000);
    expect(here.eventsOf).toEqual(['hortus.stop']);
  });

  it('a definition without a tenant migrates alone; one of a tenant does not', async () => {
    const { client, there, define, deploy, becomes, definition } = await openTwoServers(engine);
    const body = { server_id: there.id };
    const ofTenant = await deploy();
    const params = { id: ofTenant };
    expect(await refusal(client.call('definitions.migrate', { params, body }))).toMatchObject({ reason: 'tenant' });
    const alone = await define('');
    const { data } = await client.call('definitions.migrate', { params: { id: alone }, body });
    await becomes(data.migration?.id ?? '', 'completed');
    expect(await definition(alone)).toMatchObject({ server_id: there.id });
  });

  it('a stolen server key neither connects to a transfer nor reports that a volume has arrived', async () => {
    const { service, there, deploy, migrate, becomes } = await openTwoServers(engine);
    await deploy();
    await becomes((await migrate()).migration?.id ?? '', 'copying');
    const { publicKey, privateKey } = generateKeyPairSync('x25519');
    await service.database.db
      .updateTable('servers')
      .set({ identity_key: sealingKeyText(publicKey), identity_pinned_at: 1 })
      .where('id', '=', there.id)
      .execute();
    const [pending] = (await there.client.call('transfers.pending', { query: {} })).data;
    const order = pending?.order ?? expect.fail();
    expect(order).toMatchObject({ ticket: '', sealed: { fields: { '/ticket': expect.any(String) } } });
    const { ticket } = openFields(order, privateKey, transferContext(order));

    // Each request gets an order of its own: one that was recorded does not name the nonce of the next request.
    const nonce = 'of-this-request-0123456789';
    const asked = (await there.client.call('transfers.pending', { query: { nonce } })).data[0]?.order;
    expect(asked).toMatchObject({ id: order.id, nonce });
    expect(asked?.signature).not.toBe(order.signature);
    expect(order).not.toHaveProperty('nonce');

    const connect = (shown?: string) =>
      Link.open(service.base, there.key, order.id, new AbortController().signal, shown);
    const report = (shown?: string) =>
      there.client.call('transfers.report', {
        params: { id: order.id },
        body: { status: 'running', ...(shown !== undefined && { ticket: shown }) },
      });
    for (const wrong of [undefined, '', `${ticket}0`, `${'0'.repeat(ticket?.length ?? 0)}`]) {
      await expect(connect(wrong)).rejects.toThrow('status 403');
      expect(await refusal(report(wrong))).toMatchObject({ status: 403 });
    }
    expect((await report(ticket)).data.status).toBe('running');
    (await connect(ticket)).close();
    const body = { status: 'completed' as const, ...(ticket !== undefined && { ticket }) };
    await there.client.call('transfers.report', { params: { id: order.id }, body });
    // The ticket of a transfer ends with it.
    await expect(connect(ticket)).rejects.toThrow('status 404');
  });

  it('is refused before anything is stopped if a daemon still transfers by WebSocket', async () => {
    const { there, deploy, migrate } = await openTwoServers(engine);
    await deploy();
    await there.connect(engine, ['transfer']);
    const { plan } = await migrate({ dry_run: true });
    expect(plan.blockers).toMatchObject([{ reason: 'old_daemon', message: expect.stringContaining('Update it.') }]);
  });

  it('names a daemon that connects to a transfer by WebSocket as too old', async () => {
    const { service, there, read, deploy, migrate, becomes } = await openTwoServers(engine);
    await deploy();
    const id = (await migrate()).migration?.id ?? '';
    await becomes(id, 'copying');
    const [pending] = (await there.client.call('transfers.pending', { query: {} })).data;
    const old = new WebSocket(`${service.base.replace('http', 'ws')}/ws/transfer?transfer_id=${pending?.id}`, {
      headers: { authorization: `Bearer ${there.key}` },
    });
    await expect(once(old, 'open')).rejects.toThrow('422');
    const transfer = (await read(id)).transfers.find((transfer) => transfer.id === pending?.id);
    expect(transfer).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/hortusd of the target server is too old .* Update it/),
    });
  });

  it('a server sees and reports its own transfers alone', async () => {
    const { service, client, here, there, deploy, migrate, becomes } = await openTwoServers(engine);
    await deploy();
    const id = (await migrate()).migration?.id ?? '';
    await becomes(id, 'copying');
    const orders = async (server: typeof here) =>
      (await server.client.call('transfers.pending', { query: {} })).data.map(({ order }) => order);
    expect((await orders(here)).map((order) => order?.role)).toEqual(['send', 'send']);
    const [order] = await orders(there);
    expect(order).toMatchObject({ role: 'receive', mode: 'stage', server_id: there.id, signature: expect.any(String) });
    const third = (await client.call('servers.register', { body: { name: 'third', environment: 'staging' } })).data;
    const path = `/transfers/${order?.id}`;
    const asThird = { key: third.api_key, body: { status: 'completed' } };
    expect((await service.request('PATCH', path, asThird)).status).toBe(404);
    const sender = here.client.call('transfers.report', {
      params: { id: order?.id ?? '' },
      body: { status: 'completed' },
    });
    expect(await refusal(sender)).toMatchObject({ status: 422, reason: 'role' });
  });
});
