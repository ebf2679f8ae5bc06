import { until } from '@hortus/testkit/until';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../records/ids.ts';
import { onBothEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { type RunningService, startApp } from '../../testing/running-service.ts';
import { VersionedTemplate, withBackup } from './testing/versioned-template.ts';

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
    await template.publish('2.0.0');
  });
  const problemsOf = ({ json }: Awaited<ReturnType<VersionedTemplate['apply']>>) =>
    json.error.details.problems.map(({ field, reason }: Record<string, string>) => [field, reason]);

  it('an upgrade keeps the choices, asks for new inputs, deploys, and is applied', async () => {
    const { definitionId, instanceId } = await template.deploy({
      SITE_TITLE: 'Our notes',
      SMTP_PASSWORD: 'hunter2hunter2',
    });
    await template.publish('2.1.0', (text) =>
      text
        .replace('required: [', 'required: [{name: LICENCE, type: string}, ')
        .replace('secrets:', 'secrets:\n  EXTRA_KEY: {generate: hex, length: 32}'),
    );
    const id = await template.upgradeOf(instanceId);
    const refused = await template.apply(id);
    expectRefusal(refused, 'VALIDATION_ERROR', 'inputs');
    expect(problemsOf(refused)).toEqual([['inputs.LICENCE', 'required']]);
    expect(await template.read(id)).toMatchObject({ status: 'available', step: null });

    const begun = await template.apply(id, { inputs: { LICENCE: 'ours' } });
    expect(begun.status).toBe(202);
    expect(begun.json.data).toMatchObject({
      status: 'applying',
      step: 'upgrade_deploy',
      from_revision: 1,
      revision: 2,
    });
    expect(await template.definition(definitionId)).toMatchObject({
      template_version: '2.1.0',
      current_revision: 2,
      inputs: { SITE_TITLE: 'Our notes', LICENCE: 'ours' },
      secret_inputs: ['SMTP_PASSWORD'],
    });
    const { data: secrets } = await service.client.call('definitions.secrets', { params: { id: definitionId } });
    expect(secrets.map(({ name }) => name)).toContain('EXTRA_KEY');
    await template.report(begun.json.data.deployment_id, 'success');
    expect(await template.until(id, 'applied')).toMatchObject({
      reason: null,
      error: null,
      finished_at: expect.any(String),
    });

    const scanned = (await service.client.call('upgrades.scan', { body: { instance_id: instanceId } })).data;
    expect(scanned).toMatchObject({ found: 0, available: 0 });
    expectRefusal(await template.apply(id), 'VALIDATION_ERROR', 'id');
    const events = service.database.db.selectFrom('events').select('type').where('resource_id', '=', id).orderBy('id');
    expect((await events.execute()).map(({ type }) => type)).toEqual([
      'audit.upgrade_found',
      'audit.upgrade_begun',
      'audit.upgrade_applied',
    ]);
  });

  it('an upgrade requires a decision for choices that cannot be carried over', async () => {
    const { definitionId, instanceId } = await template.deploy({ LOG_LEVEL: 'debug', SITE_TITLE: 'Our notes' });
    await template.publish('2.1.0', (text) =>
      text
        .replace('options: [{value: info}, {value: debug}]', 'options: [{value: info}]')
        .replace(/ *- \{name: SITE_TITLE.*\n/, '')
        .replace(/SITE_TITLE: "[^"]*"/, 'SITE_TITLE: "Notes"'),
    );
    const id = await template.upgradeOf(instanceId);
    expect(problemsOf(await template.apply(id))).toEqual([
      ['inputs.SITE_TITLE', 'input_removed'],
      ['inputs.LOG_LEVEL', 'input_invalid'],
    ]);
    const begun = await template.apply(id, { inputs: { SITE_TITLE: null, LOG_LEVEL: 'info' } });
    expect(begun.status, JSON.stringify(begun.json)).toBe(202);
    const { inputs } = await template.definition(definitionId);
    expect(inputs).toMatchObject({ LOG_LEVEL: 'info' });
    expect(inputs).not.toHaveProperty('SITE_TITLE');
  });

  it('an upgrade over undeployed changes is refused', async () => {
    const { definitionId, instanceId } = await template.deploy();
    await template.publish('2.1.0');
    const id = await template.upgradeOf(instanceId);
    const change = { params: { id: definitionId }, body: { inputs: { SITE_TITLE: 'Later' } } };
    await service.client.call('definitions.update', change);
    expectRefusal(await template.apply(id), 'VALIDATION_ERROR', 'definition_id');
  });

  it('an upgrade on a server that cannot make the declared backup is applied without it, on request', async () => {
    await template.publish('2.0.1', withBackup);
    const { instanceId, serverId, serverKey } = await template.deploy();
    await template.publish('2.1.0', withBackup);
    const id = await template.upgradeOf(instanceId);
    // A daemon that knows only the published interface.
    await template.offered(serverKey);
    const server = async () => (await service.client.call('servers.read', { params: { id: serverId } })).data;
    await until(async () => (await server()).status === 'online', { describe: 'the server to be online' });
    const refused = await template.apply(id);
    expectRefusal(refused, 'VALIDATION_ERROR', 'without_backup');
    expect(refused.json.error.message).toMatch(
      /cannot make the declared backup; set without_backup when you apply upg_/,
    );
    const all = await service.request('POST', '/upgrades/apply', { body: { upgrade_ids: [id] } });
    expectRefusal(all, 'VALIDATION_ERROR', 'upgrade_ids');
    expect(await template.read(id)).toMatchObject({ status: 'available' });
    const both = await template.apply(id, { without_backup: true, rehearse: true });
    expectRefusal(both, 'VALIDATION_ERROR', 'without_backup');
    const begun = (await template.apply(id, { without_backup: true })).json.data;
    expect(begun).toMatchObject({ step: 'upgrade_deploy', backup_id: null });
    await template.report(begun.deployment_id, 'success');
    expect(await template.until(id, 'applied')).toMatchObject({ backup_id: null });
  });

  describe('an upgrade that fails', () => {
    it('changes nothing if the backup fails', async () => {
      await template.publish('2.0.1', withBackup);
      const { definitionId, instanceId } = await template.deploy();
      await template.publish('2.1.0', withBackup);
      const id = await template.upgradeOf(instanceId);
      expect((await template.apply(id)).json.data).toMatchObject({ step: 'upgrade_backup', deployment_id: null });
      const { data: orders } = await service.client.call('actions.history', { params: { id: instanceId } });
      const [backup] = orders.filter(({ slug }) => slug === 'hortus.backup');
      const body = { status: 'failed' as const, error: 'no space left' };
      await service.client.call('actions.report', { params: { execution_id: backup?.id ?? '' }, body });
      expect(await template.until(id, 'failed')).toMatchObject({
        reason: 'backup',
        error: expect.stringMatching(/no space left\nApply it with without_backup /),
        deployment_id: null,
      });
      expect(await template.definition(definitionId)).toMatchObject({ current_revision: 1, template_version: '2.0.1' });
    });

    it('restores the definition when the deployment fails, and can be applied again', async () => {
      const { definitionId, instanceId } = await template.deploy();
      await template.publish('2.1.0');
      const id = await template.upgradeOf(instanceId);
      const first = (await template.apply(id)).json.data;
      await template.report(first.deployment_id, 'failed', { reason: 'unhealthy', error: 'app never became healthy' });
      expect(await template.until(id, 'failed')).toMatchObject({
        reason: 'deployment',
        error: 'app never became healthy',
      });
      expect(await template.definition(definitionId)).toMatchObject({ current_revision: 1, template_version: '2.0.0' });
      const second = (await template.apply(id)).json.data;
      expect(second).toMatchObject({ status: 'applying', revision: 3, reason: null, error: null });
      await template.report(second.deployment_id, 'success');
      await template.until(id, 'applied');
    });

    it('fails if the daemon rolls back during the watch period', async () => {
      const { definitionId, instanceId, serverKey } = await template.deploy({}, 3600);
      await template.publish('2.1.0');
      const id = await template.upgradeOf(instanceId);
      const { deployment_id } = (await template.apply(id)).json.data;
      await template.report(deployment_id, 'success');
      await template.until(id, 'upgrade_watch');
      const body = {
        deployment_id: newId('deployment'),
        status: 'success',
        reason: 'unhealthy',
        rollback_of: deployment_id,
        revision: 1,
      };
      const reported = await service.request('POST', '/deploy/report', { key: serverKey, body });
      expect(reported.status, JSON.stringify(reported.json)).toBe(200);
      expect(await template.until(id, 'failed')).toMatchObject({ reason: 'unhealthy', return_id: body.deployment_id });
      expect(await template.definition(definitionId)).toMatchObject({ current_revision: 1, template_version: '2.0.0' });
    });

    it('says that changed data could not be restored', async () => {
      const { instanceId } = await template.deploy();
      await template.publish('2.1.0');
      const id = await template.upgradeOf(instanceId);
      const { deployment_id } = (await template.apply(id)).json.data;
      await template.report(deployment_id, 'failed', {
        reason: 'irreversible',
        error: 'migrate may have changed data',
      });
      expect(await template.until(id, 'failed')).toMatchObject({
        reason: 'irreversible',
        error: 'migrate may have changed data\nThe data was not restored: the template declares no backup.',
      });
    });

    describe('an upgrade that changed data', () => {
      /** Deploys an upgrade with a backup of the previous revision. */
      async function begun(watch = 0) {
        await template.publish('2.0.1', withBackup);
        const target = await template.deploy({}, watch);
        await template.publish('2.1.0', withBackup);
        const id = await template.upgradeOf(target.instanceId);
        await template.apply(id);
        await template.settle(target.instanceId, 'hortus.backup', { revision: 1 });
        const { deployment_id, backup_id } = await template.until(id, 'upgrade_deploy');
        return { ...target, id, deploymentId: deployment_id ?? '', backupId: backup_id };
      }
      const irreversible = { reason: 'irreversible', error: 'migrate may have changed data' };
      const deployment = async (id: string | null) =>
        (await service.client.call('deployments.read', { params: { id: id ?? '' } })).data;

      it('restores the data first, then the old version, and says so', async () => {
        const { id, deploymentId, backupId, instanceId, definitionId, serverKey } = await begun();
        expect(await deployment(deploymentId)).toMatchObject({ backup_id: backupId, preparation: null });
        await template.report(deploymentId, 'failed', irreversible);
        const { return_id: back } = await template.until(id, 'upgrade_return');
        expect(await deployment(back)).toMatchObject({
          kind: 'rollback',
          rollback_of: deploymentId,
          revision: 1,
          backup_id: backupId,
          preparation: { kind: 'restore', done: false },
        });
        expect(await template.offered(serverKey)).toEqual([]);
        const order = await template.settle(instanceId, 'hortus.return_data', { revision: 1 });
        expect(order.params).toMatchObject({ backup_id: backupId, deployment_id: back, revision: 1, resume: false });
        await until(async () => (await template.offered(serverKey)).includes(back ?? ''), { describe: 'the way back' });
        await template.report(back ?? '', 'success');
        expect(await template.until(id, 'failed')).toMatchObject({
          reason: 'deployment',
          error: 'migrate may have changed data\nRevision 1 runs again with its previous data.',
          return_id: back,
        });
        expect(await template.definition(definitionId)).toMatchObject({
          current_revision: 1,
          template_version: '2.0.1',
        });
      });

      it('does the same if the daemon finds it unhealthy and refuses to roll back', async () => {
        const { id, deploymentId, instanceId, serverKey } = await begun(3600);
        await template.report(deploymentId, 'success');
        await template.until(id, 'upgrade_watch');
        const returned = { deployment_id: newId('deployment'), rollback_of: deploymentId, revision: 1 };
        const body = { ...returned, status: 'failed', ...irreversible };
        expect((await service.request('POST', '/deploy/report', { key: serverKey, body })).status).toBe(200);
        const { return_id: back } = await template.until(id, 'upgrade_return');
        const order = await template.settle(instanceId, 'hortus.return_data', { revision: 1 });
        // If the restore fails, the kept revision is the one the data was changed for.
        expect(order.params).toMatchObject({ resume: true });
        await until(async () => (await template.offered(serverKey)).includes(back ?? ''), { describe: 'the way back' });
        await template.report(back ?? '', 'success');
        expect(await template.until(id, 'failed')).toMatchObject({
          reason: 'unhealthy',
          error: expect.stringContaining('with its previous data'),
        });
      });

      it('says that the data could not be restored', async () => {
        const first = await begun();
        // The job may have started, so the data may have changed.
        await template.report(first.deploymentId, 'failed', { reason: 'engine', error: 'Docker is away' });
        await template.until(first.id, 'upgrade_return');
        await template.settle(first.instanceId, 'hortus.return_data', { error: 'chunk 2 is damaged' });
        expect(await template.until(first.id, 'failed')).toMatchObject({
          reason: 'return',
          error: `Docker is away\nThe data could not be restored: chunk 2 is damaged\nThe data is kept in backup ${first.backupId}.`,
        });
      });

      it('says that the data was restored but the old version does not start', async () => {
        const { id, deploymentId, instanceId, serverKey } = await begun();
        await template.report(deploymentId, 'failed', irreversible);
        const { return_id: back } = await template.until(id, 'upgrade_return');
        await template.settle(instanceId, 'hortus.return_data', { revision: 1 });
        await until(async () => (await template.offered(serverKey)).length > 0, { describe: 'the way back' });
        await template.report(back ?? '', 'failed', { reason: 'image', error: 'no such image' });
        expect(await template.until(id, 'failed')).toMatchObject({
          reason: 'return',
          error: expect.stringContaining('was restored, but revision 1 failed to start: no such image'),
        });
      });

      it('restores the data from before the first attempt, not what that left', async () => {
        const { id, deploymentId, backupId, instanceId, definitionId } = await begun();
        await template.report(deploymentId, 'failed', irreversible);
        await template.settle(instanceId, 'hortus.return_data', { error: 'the server has no room' });
        await template.until(id, 'failed');
        await service.client.call('definitions.restore', { params: { id: definitionId, number: 1 } });
        await template.apply(id);
        await template.settle(instanceId, 'hortus.backup', { revision: 1 });
        const again = await template.until(id, 'upgrade_deploy');
        const { data } = await service.client.call('backups.read', { params: { id: again.backup_id ?? '' } });
        expect(data).toMatchObject({ kind: 'safety', status: 'completed' });
        await template.report(again.deployment_id ?? '', 'failed', irreversible);
        const { return_id } = await template.until(id, 'upgrade_return');
        expect(await deployment(return_id)).toMatchObject({ backup_id: backupId });
      });

      it('cannot be undone if the backup was deleted meanwhile', async () => {
        const { id, deploymentId, backupId } = await begun();
        await service.client.call('backups.delete', { params: { id: backupId ?? '' } });
        await template.report(deploymentId, 'failed', irreversible);
        expect(await template.until(id, 'failed')).toMatchObject({
          reason: 'irreversible',
          error: expect.stringContaining('or the backup was deleted'),
        });
      });
    });

    it('fails if a user rolls it back', async () => {
      const { instanceId } = await template.deploy({}, 3600);
      await template.publish('2.1.0');
      const id = await template.upgradeOf(instanceId);
      const { deployment_id } = (await template.apply(id)).json.data;
      await template.report(deployment_id, 'success');
      await template.until(id, 'upgrade_watch');
      const { data } = await service.client.call('deployments.rollback', { params: { id: deployment_id } });
      await template.report(data.id, 'success');
      expect(await template.until(id, 'failed')).toMatchObject({ reason: 'rolled_back' });
    });
  });

  describe('several upgrades', () => {
    const applyAll = (body: object) => service.request('POST', '/upgrades/apply', { body });
    const statuses = async (ids: string[]) => Promise.all(ids.map(async (id) => (await template.read(id)).status));

    async function three() {
      const target = [await template.deploy(), await template.deploy(), await template.deploy()];
      await template.publish('2.1.0');
      return await Promise.all(target.map(({ instanceId }) => template.upgradeOf(instanceId)));
    }

    it('are applied one by one, up to the first failure', async () => {
      const [text = '', two = '', last = ''] = await three();
      const response = await applyAll({ upgrade_ids: [text, two, last] });
      expect(response.json.data.upgrades.map(({ id }: { id: string }) => id)).toEqual([text, two, last]);
      const first = await template.until(text, 'applying');
      expect(await statuses([two, last])).toEqual(['available', 'available']);
      await template.report(first.deployment_id ?? '', 'success');
      const second = await template.until(two, 'applying');
      expect(await statuses([text, last])).toEqual(['applied', 'available']);
      await template.report(second.deployment_id ?? '', 'failed', { error: 'no' });
      await template.until(two, 'failed');
      const jobs = service.database.db
        .selectFrom('jobs')
        .select('id')
        .where('kind', '=', 'upgrades.apply_all')
        .where('payload', 'like', `%${service.accountId}%`);
      await until(async () => (await jobs.execute()).length === 0, { describe: 'the end' });
      expect(await statuses([last])).toEqual(['available']);
    });

    it('are chosen by species, and must all be ready', async () => {
      const ids = await three();
      const neither = await applyAll({});
      expectRefusal(neither, 'VALIDATION_ERROR', 'upgrade_ids');
      expectRefusal(await applyAll({ species: 'seed' }), 'VALIDATION_ERROR', 'species');
      expectRefusal(await applyAll({ upgrade_ids: ['upg_nobody'] }), 'VALIDATION_ERROR', 'upgrade_ids');
      const response = await applyAll({ species: 'inkwell' });
      expect(response.json.data.upgrades.map(({ id }: { id: string }) => id).sort()).toEqual([...ids].sort());
    });
  });
});
