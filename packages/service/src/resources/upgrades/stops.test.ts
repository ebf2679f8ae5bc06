import { until } from '@hortus/testkit/until';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { type RunningService, startApp } from '../../testing/running-service.ts';
import { VersionedTemplate, withBackup } from './testing/versioned-template.ts';

/** Inkwell with another version of the application, and rules for upgrades to it. */
const as =
  (app: string, rules = '') =>
  (text: string) =>
    `${text.replace('app_version: 4.2.1', `app_version: ${app}`)}${rules && `upgrade: ${rules}\n`}`;

onBothEngines((engine) => {
  let installation: RunningService;
  let service: RunningService;
  let template: VersionedTemplate;
  beforeAll(async () => {
    installation = await startApp(engine);
  });
  beforeEach(async () => {
    service = await installation.inNewAccount();
    template = new VersionedTemplate(service);
  });
  const deployment = async (id: string | null) =>
    (await service.client.call('deployments.read', { params: { id: id ?? '' } })).data;

  describe('a required stop', () => {
    const rules = '{via: [{version: "5"}], notes: [{to: "5", text: New themes.}, {to: "6", text: New editor.}]}';

    it('is offered first, and the newest version once it is applied', async () => {
      await template.publish('2.0.0');
      const { instanceId } = await template.deploy();
      await template.publish('2.1.0', as('5.1.0'));
      await template.publish('3.0.0', as('6.0.0', rules));
      const offered = async (to_version: string) => {
        const find = async () =>
          (await service.client.call('upgrades.list', { query: { instance_id: instanceId } })).data.find(
            (item) => item.status === 'available' && item.to_version === to_version && item.stops.length < 2,
          );
        return await until(find, { describe: `the upgrade to ${to_version}` });
      };
      await service.client.call('upgrades.scan', { body: {} });
      const first = await offered('2.1.0');
      expect(first).toMatchObject({ ready: true, stops: ['5'], data: 'kept' });
      const { deployment_id } = (await template.apply(first.id)).json.data;
      await template.report(deployment_id, 'success');
      await template.until(first.id, 'applied');
      // No scan is requested.
      const second = await offered('3.0.0');
      expect(second).toMatchObject({
        ready: true,
        stops: [],
        conflicts: [],
        notes: [{ version: '6', text: 'New editor.' }],
      });
    });

    it('without a version for it refuses the upgrade by its name, whatever is answered', async () => {
      await template.publish('2.0.0');
      const { instanceId } = await template.deploy();
      await template.publish('3.0.0', as('6.0.0', rules));
      const id = await template.upgradeOf(instanceId);
      expect(await template.read(id)).toMatchObject({
        ready: false,
        stops: ['5'],
        conflicts: [{ field: 'version', reason: 'required_stop' }],
        notes: [{ version: '5' }, { version: '6' }],
      });
      const refused = await template.apply(id, { inputs: { version: '5' } });
      expectRefusal(refused, 'VALIDATION_ERROR', 'version');
      expect(refused.json.error.message).toContain('version 5 is a required stop between 4.2.1 and 6.0.0');
      const all = await service.request('POST', '/upgrades/apply', { body: { species: 'inkwell' } });
      expectRefusal(all, 'VALIDATION_ERROR', 'species');
    });
  });

  it('an upgrade that cannot take the old data is refused with what to do instead, alone and with others', async () => {
    const rule = '{refuse: [{before: 3.0.0, reason: Uploads would be lost., instead: Export the blog first.}]}';
    await template.publish('2.0.0');
    const { instanceId } = await template.deploy();
    await template.publish('3.0.0', as('4.3.0', rule));
    const id = await template.upgradeOf(instanceId);
    const refusal = { reason: 'Uploads would be lost.', instead: 'Export the blog first.' };
    expect(await template.read(id)).toMatchObject({
      ready: false,
      refusal,
      conflicts: [{ field: 'version', reason: 'refused' }],
    });
    const scanned = (await service.client.call('upgrades.scan', { body: {} })).data;
    expect(scanned).toMatchObject({ scanned: 1, available: 0, refused: 1 });
    const orders = [
      ['version', () => template.apply(id)],
      ['version', () => service.request('POST', `/upgrades/${id}/rehearse`, { body: {} })],
      ['species', () => service.request('POST', '/upgrades/apply', { body: { species: 'inkwell' } })],
    ] as const;
    for (const [field, order] of orders) {
      const refused = await order();
      expectRefusal(refused, 'VALIDATION_ERROR', field);
      expect(refused.json.error.message).toContain('Uploads would be lost. Instead: Export the blog first.');
      expect(refused.json.error.details).toMatchObject({ reason: 'refused', refusal });
    }
    expect(await template.read(id)).toMatchObject({ status: 'available', revision: null });
  });

  it('a failed upgrade is not applied again once a newer version refuses the running one', async () => {
    await template.publish('2.0.0');
    const { instanceId } = await template.deploy();
    await template.publish('3.0.0', as('4.3.0'));
    const id = await template.upgradeOf(instanceId);
    const { deployment_id } = (await template.apply(id)).json.data;
    await template.report(deployment_id, 'failed', { reason: 'unhealthy', error: 'app never became healthy' });
    await template.until(id, 'failed');
    await template.publish(
      '3.0.1',
      as('4.3.0', '{refuse: [{before: 3.0.0, reason: Uploads would be lost., instead: Export the blog first.}]}'),
    );
    expectRefusal(await template.apply(id), 'VALIDATION_ERROR', 'version');
  });

  describe('an upgrade whose data is restored from a dump', () => {
    /** Begins it, up to the restore that its deployment waits for. */
    async function begun(watch = 0) {
      await template.publish('2.0.0', withBackup);
      const target = await template.deploy({}, watch);
      await template.publish('3.0.0', (text) => as('5.0.0', '{dump_restore: ["5"]}')(withBackup(text)));
      const id = await template.upgradeOf(target.instanceId);
      expect(await template.read(id)).toMatchObject({ data: 'dump_restore', ready: true });
      await template.apply(id);
      await template.settle(target.instanceId, 'hortus.backup', { revision: 1, kind: 'dump' });
      const { deployment_id, backup_id } = await template.until(id, 'upgrade_deploy');
      return { ...target, id, deploymentId: deployment_id ?? '', backupId: backup_id };
    }
    const ready = (serverKey: string, id: string) =>
      until(async () => (await template.offered(serverKey)).includes(id), { describe: `${id} to be offered` });

    it('deploys only after the restore, and is rolled back only with its data', async () => {
      const { id, deploymentId, backupId, instanceId, serverKey } = await begun();
      expect(await deployment(deploymentId)).toMatchObject({
        backup_id: backupId,
        preparation: { kind: 'restore', done: false },
      });
      expect(await template.offered(serverKey)).toEqual([]);
      const order = await template.settle(instanceId, 'hortus.return_data', { revision: 1 });
      expect(order.params).toMatchObject({
        deployment_id: deploymentId,
        backup_id: backupId,
        revision: 2,
        resume: true,
      });
      await ready(serverKey, deploymentId);
      await template.report(deploymentId, 'success');
      await template.until(id, 'applied');

      const refused = await service.request('POST', `/deployments/${deploymentId}/rollback`, { body: {} });
      expectRefusal(refused, 'VALIDATION_ERROR', 'with_data');
      expect(refused.json.error.details).toMatchObject({ reason: 'data_rebuilt' });
      const params = { id: deploymentId };
      const { data } = await service.client.call('deployments.rollback', { params, body: { with_data: true } });
      expect(data).toMatchObject({ revision: 1, backup_id: backupId, preparation: { kind: 'restore' } });
    });

    it('keeps the running version if the dump cannot be restored', async () => {
      const { id, instanceId, definitionId } = await begun();
      await template.settle(instanceId, 'hortus.return_data', { error: 'psql exited with code 3.' });
      const failed = await template.until(id, 'failed');
      expect(failed).toMatchObject({ reason: 'deployment', return_id: null });
      expect(failed.error).toContain('psql exited with code 3.');
      expect(await template.definition(definitionId)).toMatchObject({ current_revision: 1, template_version: '2.0.0' });
    });

    it('returns version and data if the newer version does not start', async () => {
      const { id, deploymentId, backupId, instanceId, definitionId, serverKey } = await begun();
      await template.settle(instanceId, 'hortus.return_data', { revision: 1 });
      await ready(serverKey, deploymentId);
      await template.report(deploymentId, 'failed', { reason: 'unhealthy', error: 'app never became healthy' });
      const { return_id } = await template.until(id, 'upgrade_return');
      expect(await deployment(return_id)).toMatchObject({ revision: 1, backup_id: backupId });
      await template.settle(instanceId, 'hortus.return_data', { revision: 2 });
      await ready(serverKey, return_id ?? '');
      await template.report(return_id ?? '', 'success');
      expect(await template.until(id, 'failed')).toMatchObject({ reason: 'deployment' });
      expect(await template.definition(definitionId)).toMatchObject({ current_revision: 1, template_version: '2.0.0' });
    });
  });
});
