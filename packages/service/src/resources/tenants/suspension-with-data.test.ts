import { until } from '@hortus/testkit/until';
import { beforeAll, describe, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { VersionedTemplate } from '../upgrades/testing/versioned-template.ts';
import { type ServiceWithServer, startServiceWithServer } from './testing/service-with-server.ts';

onBothEngines((engine) => {
  let system: ServiceWithServer;
  let template: VersionedTemplate;
  beforeAll(async () => {
    system = await startServiceWithServer(engine);
    template = new VersionedTemplate(system.service);
  });

  const client = () => system.service.client;
  const deployment = async (id: string) => (await client().call('deployments.read', { params: { id } })).data;
  const instance = async (id: string) => (await client().call('instances.read', { params: { id } })).data;
  const offered = (id: string) =>
    until(async () => (await template.offered(system.serverKey)).includes(id), { describe: `${id} to be offered` });
  const order = async (definition_id: string, more: object = {}) => {
    const { json } = await system.service.request('POST', '/deployments/execute', {
      body: { definition_id, ...more },
    });
    return json.data;
  };
  const rollback = async (id: string) =>
    (await client().call('deployments.rollback', { params: { id }, body: { with_data: true } })).data.id;
  const ordersOf = async (id: string) => {
    const { data } = await client().call('actions.history', { params: { id }, query: { per_page: 100 } });
    return data.toReversed().map(({ slug, status }) => `${slug} ${status}`);
  };

  /** Deploys two revisions of a tenant's application, with a backup of the first. */
  async function deployedTwice() {
    const tenant = await system.tenant();
    const { definitionId, instanceId } = await system.running(tenant.id);
    const body = { inputs: { SITE_TITLE: 'Second' } };
    await client().call('definitions.update', { params: { id: definitionId }, body });
    const { id: second } = await order(definitionId, { backup_first: true });
    await template.settle(instanceId, 'hortus.backup', { revision: 1 });
    await offered(second);
    await system.succeed(second);
    return { tenantId: tenant.id, definitionId, instanceId, second };
  }

  /** Stops as their daemon does: removed containers cannot be stopped. */
  async function stop(instanceId: string, there: boolean): Promise<void> {
    const { id } = await template.ordered(instanceId, 'hortus.stop');
    await system.service.handOver(id);
    const none = { status: 'failed', error: 'The instance has no container.' } as const;
    const params = { execution_id: id };
    await client().call('actions.report', { params, body: there ? { status: 'completed' } : none });
  }
  const taken = (definition_id: string) => {
    const instances = [{ definition_id, status: 'stopped' as const, health: 'unknown' as const }];
    return client().call('instances.report', { body: { instances } });
  };
  const claim = (id: string) => client().call('deployments.status', { params: { id }, body: { status: 'running' } });

  const atRest = async (tenantId: string, instanceId: string) => {
    expect(await instance(instanceId)).toMatchObject({ status: 'stopped' });
    expect(await system.read(tenantId)).toMatchObject({ status: 'suspended', running_count: 0 });
    expect((await ordersOf(instanceId)).filter((text) => /pending|sent|running/.test(text))).toEqual([]);
  };

  describe('a rollback with data whose tenant is suspended', () => {
    for (const moment of ['is ordered', 'has taken the containers away', 'has the data back', 'runs'] as const)
      it(`runs to its end and is stopped then: while it ${moment}`, async () => {
        const { tenantId, definitionId, instanceId, second } = await deployedTwice();
        const back = await rollback(second);
        const suspend = async (at: typeof moment) => {
          if (at === moment) expect((await system.move(tenantId, 'suspend')).status).toBe(200);
        };
        await suspend('is ordered');
        // All containers are removed for it.
        await taken(definitionId);
        await suspend('has taken the containers away');
        expect(await deployment(back)).toMatchObject({
          status: 'pending',
          preparation: { kind: 'restore', done: false },
        });
        await template.settle(instanceId, 'hortus.return_data', { revision: 2 });
        await offered(back);
        await suspend('has the data back');
        if (moment !== 'runs') await stop(instanceId, false);
        await claim(back);
        await suspend('runs');
        expect(await deployment(back)).toMatchObject({ status: 'running', cancelling: false });
        const again = await system.deploy(definitionId);
        expectRefusal(again, 'VALIDATION_ERROR', 'tenant_id');

        await system.succeed(back);
        expect(await deployment(back)).toMatchObject({ status: 'success', revision: 1 });
        expect(await template.definition(definitionId)).toMatchObject({ current_revision: 1 });
        await stop(instanceId, true);
        await atRest(tenantId, instanceId);
        await system.move(tenantId, 'resume');
        expect((await ordersOf(instanceId)).at(-1)).toBe('hortus.start pending');
      });

    it('keeps the previous deployment, stopped, if the data could not be restored', async () => {
      const { tenantId, definitionId, instanceId, second } = await deployedTwice();
      const back = await rollback(second);
      await taken(definitionId);
      await system.move(tenantId, 'suspend');
      await template.settle(instanceId, 'hortus.return_data', { error: 'chunk 2 is damaged' });
      await until(async () => (await deployment(back)).status === 'failed', { describe: 'it to fail' });
      expect(await deployment(back)).toMatchObject({ reason: 'restore' });
      expect(await template.definition(definitionId)).toMatchObject({ current_revision: 2 });
      // Its daemon has started the previous deployment again.
      const instances = [{ definition_id: definitionId, status: 'running' as const, health: 'healthy' as const }];
      await client().call('instances.report', { body: { instances } });
      await stop(instanceId, true);
      await atRest(tenantId, instanceId);
      await system.move(tenantId, 'resume');
      expect((await ordersOf(instanceId)).at(-1)).toBe('hortus.start pending');
    });

    it('fails if the former revision does not run, and blocks nothing', async () => {
      const { tenantId, definitionId, instanceId, second } = await deployedTwice();
      const back = await rollback(second);
      await system.move(tenantId, 'suspend');
      await template.settle(instanceId, 'hortus.return_data', { revision: 2 });
      await offered(back);
      await stop(instanceId, false);
      await template.report(back, 'failed', { error: 'main is not healthy.' });
      expect(await deployment(back)).toMatchObject({ status: 'failed' });
      expect((await system.read(tenantId)).status).toBe('suspended');
      await system.move(tenantId, 'active');
      await offered((await order(definitionId)).id);
    });

    it('keeps running if the tenant is resumed meanwhile', async () => {
      const { tenantId, instanceId, second } = await deployedTwice();
      const back = await rollback(second);
      await system.move(tenantId, 'suspend');
      await system.move(tenantId, 'resume');
      await template.settle(instanceId, 'hortus.return_data', { revision: 2 });
      await offered(back);
      await system.succeed(back);
      expect(await instance(instanceId)).toMatchObject({ status: 'running', revision: 1 });
      expect((await ordersOf(instanceId)).filter((text) => text.startsWith('hortus.stop'))).toEqual([
        'hortus.stop cancelled',
      ]);
    });

    it('is cancelled with the others if the restore has not started', async () => {
      const { tenantId, definitionId, instanceId, second } = await deployedTwice();
      const { id: first } = await order(definitionId);
      const back = await rollback(second);
      await system.move(tenantId, 'suspend');
      for (const id of [first, back])
        expect(await deployment(id)).toMatchObject({ status: 'failed', reason: 'cancelled' });
      expect((await ordersOf(instanceId)).some((text) => text.startsWith('hortus.return_data'))).toBe(false);
    });
  });
});
