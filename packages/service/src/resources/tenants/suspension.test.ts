import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { type ServiceWithServer, startServiceWithServer } from './testing/service-with-server.ts';

onBothEngines((engine) => {
  let system: ServiceWithServer;
  const statusOf = async (id: string) =>
    (await system.service.client.call('instances.read', { params: { id } })).data.status;
  const order = (id: string, what: 'start' | 'stop' | 'restart') =>
    system.service.request('POST', `/instances/${id}/${what}`);

  describe('suspension while the daemon is offline', () => {
    beforeAll(async () => {
      system = await startServiceWithServer(engine);
    });
    const ordersOf = (instanceId: string) =>
      system.service.database.db
        .selectFrom('executions')
        .select(['slug', 'status', 'deadline_at', 'created_at'])
        .where('instance_id', '=', instanceId)
        .orderBy('id')
        .execute();

    it('orders every stop in the same transaction, without a time limit', async () => {
      const tenant = await system.tenant();
      const [a, b] = [await system.running(tenant.id), await system.running(tenant.id)];
      const { status, json } = await system.move(tenant.id, 'suspend');
      expect([status, json.data.status]).toEqual([200, 'suspended']);
      expect(json.data.suspended_at).toEqual(json.data.updated_at);
      for (const { instanceId } of [a, b]) {
        const [stop, ...rest] = await ordersOf(instanceId);
        expect([stop?.slug, stop?.status, rest]).toEqual(['hortus.stop', 'pending', []]);
        expect((stop?.deadline_at ?? 0) - (stop?.created_at ?? 0)).toBe(30 * 24 * 3_600_000);
      }
      // Repeating it changes nothing.
      expect((await system.move(tenant.id, 'suspend')).json.data.suspended_at).toBe(json.data.suspended_at);
      expect(await ordersOf(a.instanceId)).toHaveLength(1);
      expect(await system.events(tenant.id)).toEqual([
        'audit.tenant_created',
        'audit.tenant_active',
        'audit.tenant_suspended',
      ]);
    });

    it('refuses deployments, starts and rollbacks by the tenant, and cancels pending ones', async () => {
      const tenant = await system.tenant('Fern House');
      const { definitionId, instanceId } = await system.running(tenant.id);
      const waiting = (await system.deploy(definitionId)).json.data.id;
      await system.move(tenant.id, 'suspend');
      const { client, request } = system.service;
      expect((await client.call('deployments.read', { params: { id: waiting } })).data).toMatchObject({
        status: 'failed',
        reason: 'cancelled',
      });
      const refused = [
        await system.deploy(definitionId),
        await request('POST', `/deployments/${waiting}/rollback`),
        await order(instanceId, 'start'),
        await order(instanceId, 'restart'),
      ];
      for (const response of refused) {
        expectRefusal(response, 'VALIDATION_ERROR', 'tenant_id');
        expect(response.json.error.message).toContain('fern-house');
        expect(response.json.error.details).toMatchObject({ reason: 'suspended', tenant_id: tenant.id });
      }
      expect((await order(instanceId, 'stop')).status).toBe(202);
      await system.move(tenant.id, 'active');
      expect((await system.deploy(definitionId)).status).toBe(201);
    });

    it('withdraws a pending stop on resume', async () => {
      const tenant = await system.tenant();
      const { instanceId } = await system.running(tenant.id);
      await system.move(tenant.id, 'suspend');
      expect((await system.move(tenant.id, 'resume')).json.data).toMatchObject({
        status: 'active',
        suspended_at: null,
      });
      expect((await ordersOf(instanceId)).map(({ slug, status }) => [slug, status])).toEqual([
        ['hortus.stop', 'cancelled'],
        ['hortus.start', 'pending'],
      ]);
    });

    it('follows the last order, not the current state', async () => {
      const tenant = await system.tenant();
      const [unwanted, wanted] = [await system.running(tenant.id), await system.running(tenant.id)];
      const slugs = async ({ instanceId }: { instanceId: string }) =>
        (await ordersOf(instanceId)).filter(({ status }) => status === 'pending').map(({ slug }) => slug);
      await order(unwanted.instanceId, 'stop');
      await system.move(tenant.id, 'suspend');
      await system.move(tenant.id, 'resume');
      expect(await slugs(unwanted)).toEqual(['hortus.stop']);
      expect(await slugs(wanted)).toEqual(['hortus.start']);
      // Suspended again before it was started, it is not started later.
      const reported = [{ definition_id: wanted.definitionId, status: 'stopped' as const, health: 'unknown' as const }];
      await system.service.client.call('instances.report', { body: { instances: reported } });
      await system.move(tenant.id, 'suspend');
      expect(await slugs(wanted)).toEqual(['hortus.stop']);
      await system.move(tenant.id, 'resume');
      expect(await slugs(wanted)).toEqual(['hortus.start']);
    });

    it('stops the instance of a deployment that could not be cancelled in time', async () => {
      const tenant = await system.tenant();
      const definitionId = await system.define(tenant.id);
      const { id } = (await system.deploy(definitionId)).json.data;
      const { client } = system.service;
      await client.call('deployments.status', { params: { id }, body: { status: 'running' } });
      await system.move(tenant.id, 'suspend');
      await system.succeed(id);
      const instance = await system.instanceOf(definitionId);
      expect(instance.status).toBe('running');
      expect((await ordersOf(instance.id)).map(({ slug }) => slug)).toEqual(['hortus.stop']);
      expect((await system.read(tenant.id)).status).toBe('suspended');
      await system.move(tenant.id, 'resume');
      expect((await ordersOf(instance.id)).map(({ slug }) => slug)).toEqual(['hortus.stop', 'hortus.start']);
    });

    it('also suspends deployments that are ordered concurrently', async () => {
      const tenant = await system.tenant();
      const definitions = [await system.define(tenant.id), await system.define(tenant.id)];
      const responses = await Promise.all([
        ...definitions.map((id) => system.deploy(id)),
        system.move(tenant.id, 'suspend'),
        ...definitions.map((id) => system.deploy(id)),
      ]);
      expect(responses.map(({ status }) => status).every((status) => [200, 201, 422].includes(status))).toBe(true);
      const { data } = await system.service.client.call('deployments.list', { query: { per_page: 100 } });
      const left = data.filter((item) => definitions.includes(item.definition_id) && item.status === 'pending');
      expect(left).toEqual([]);
    });
  });

  describe('suspension with a daemon that completes every action', () => {
    beforeAll(async () => {
      system = await startServiceWithServer(engine);
      await system.connectDaemon();
    });

    it('stops every instance, and resuming starts those that ran before', async () => {
      const tenant = await system.tenant();
      const [runs, stopped, gone] = [
        await system.running(tenant.id),
        await system.running(tenant.id),
        await system.running(tenant.id),
      ];
      const bystander = await system.running((await system.tenant()).id);
      await order(stopped.instanceId, 'stop');
      await system.atRest();
      expect(await system.read(tenant.id)).toMatchObject({ instances_count: 3, running_count: 2 });

      await system.move(tenant.id, 'suspend');
      await system.atRest();
      expect(await system.read(tenant.id)).toMatchObject({ instances_count: 3, running_count: 0 });
      expect(await statusOf(bystander.instanceId)).toBe('running');

      await system.service.client.call('definitions.archive', { params: { id: gone.definitionId } });
      await system.move(tenant.id, 'resume');
      await system.atRest();
      expect(await statusOf(runs.instanceId)).toBe('running');
      expect(await statusOf(stopped.instanceId)).toBe('stopped');
      expect(await statusOf(gone.instanceId)).toBe('released');
      const slugs = (id: string) =>
        system.eventsOf.filter(({ instanceId }) => instanceId === id).map(({ slug }) => slug);
      expect(slugs(runs.instanceId)).toEqual(['hortus.stop', 'hortus.start']);
      expect(slugs(stopped.instanceId)).toEqual(['hortus.stop']);
      expect(slugs(bystander.instanceId)).toEqual([]);
    });

    it('activating starts nothing, then or later', async () => {
      const tenant = await system.tenant();
      const { instanceId } = await system.running(tenant.id);
      await system.move(tenant.id, 'suspend');
      await system.atRest();
      await system.move(tenant.id, 'active');
      await system.move(tenant.id, 'resume');
      await system.atRest();
      expect(await statusOf(instanceId)).toBe('stopped');
      expect((await order(instanceId, 'start')).status).toBe(202);
    });

    it('keeps its promises with other changes in between', async () => {
      const moves = fc.constantFrom('suspend' as const, 'resume' as const, 'active' as const);
      const step = fc.oneof(
        moves.map((move) => ({ move })),
        fc.record({ which: fc.nat(1), order: fc.constantFrom('start' as const, 'stop' as const) }),
      );
      const tenant = await system.tenant();
      const instances = [await system.running(tenant.id), await system.running(tenant.id)].map(
        ({ instanceId }) => instanceId,
      );
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
          const model = { suspended: false, up: [true, true], ran: new Set<number>() };
          await system.move(tenant.id, 'active');
          for (const id of instances) await order(id, 'start');
          await system.atRest();
          for (const step of steps) {
            if ('order' in step) {
              const { status } = await order(instances[step.which] as string, step.order);
              const refused = model.suspended && step.order === 'start';
              expect(status).toBe(refused ? 422 : 202);
              if (!refused) model.up[step.which] = step.order === 'start';
            } else {
              expect((await system.move(tenant.id, step.move)).status).toBe(200);
              if (step.move === 'suspend') {
                for (const which of [0, 1]) if (model.up[which]) model.ran.add(which);
                model.up = [false, false];
              } else if (step.move === 'resume') {
                for (const which of model.ran) model.up[which] = true;
              }
              model.suspended = step.move === 'suspend';
              if (!model.suspended) model.ran.clear();
            }
            await system.atRest();
            const up = await Promise.all(instances.map(async (id) => (await statusOf(id)) === 'running'));
            expect(up).toEqual(model.up);
          }
        }),
        { numRuns: 10 },
      );
    });
  });
});
