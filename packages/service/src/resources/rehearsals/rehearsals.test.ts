import type { CloneOrder, Rehearsal } from '@hortus/contract/resources/rehearsals';
import { until } from '@hortus/testkit/until';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { type RunningService, startApp } from '../../testing/running-service.ts';
import { VersionedTemplate, withBackup } from '../upgrades/testing/versioned-template.ts';

onBothEngines((engine) => {
  let installation: RunningService;
  let service: RunningService;
  let template: VersionedTemplate;
  beforeAll(async () => {
    installation = await startApp(engine);
  });
  beforeEach(async () => {
    await use(await installation.inNewAccount());
  });

  async function use(chosen: RunningService): Promise<void> {
    service = chosen;
    template = new VersionedTemplate(service);
    await template.publish('2.0.0', withBackup);
  }

  /** Only for a test that uses a service of its own. */
  async function restart(): Promise<void> {
    const { app, testDatabase } = service;
    await app.close();
    service = await startApp(engine, {}, testDatabase);
    template.service = service;
  }

  /** Deploys version 2.0.0, publishes 2.1.0, and returns the upgrade between them. */
  async function upgradable(inputs: Record<string, string> = {}) {
    const deployed = await template.deploy(inputs);
    await template.publish('2.1.0', withBackup);
    return { ...deployed, upgradeId: await template.upgradeOf(deployed.instanceId) };
  }

  async function backUp(instanceId: string, revision = 1) {
    await service.client.call('backups.create', { params: { id: instanceId } });
    await template.settle(instanceId, 'hortus.backup', { revision });
  }

  const rehearse = (id: string, body = {}) => service.request('POST', `/upgrades/${id}/rehearse`, { body });
  const clone = (id: string, body: CloneOrder = {}) => service.request('POST', `/instances/${id}/clone`, { body });
  const read = async (id: string) => (await service.client.call('rehearsals.read', { params: { id } })).data;

  function become(id: string, what: Rehearsal['status'] | 'removed') {
    const poll = async () => {
      const rehearsal = await read(id);
      return rehearsal.status === what || (what === 'removed' && rehearsal.removed) ? rehearsal : undefined;
    };
    return until(poll, { describe: `${id} to be ${what}` });
  }

  /** Reports the end of an execution as its daemon would. */
  async function finish(instanceId: string, slug: string, more: object = {}) {
    const execution = await template.ordered(instanceId, slug);
    await service.handOver(execution.id);
    const body = { status: 'completed' as const, ...more };
    await service.client.call('actions.report', { params: { execution_id: execution.id }, body });
    return execution;
  }

  /** Restores the data into the copy and deploys the running version in it. */
  async function restored({ id, instance_id, restore_deployment_id }: Rehearsal) {
    await finish(instance_id, 'hortus.copy_data');
    const deployment = restore_deployment_id ?? '';
    const ready = async () =>
      (await service.client.call('deployments.read', { params: { id: deployment } })).data.preparation?.done;
    await until(ready, { describe: 'the data of the copy' });
    await template.report(deployment, 'success');
    return id;
  }

  it('a rehearsal restores the newest backup into a copy, applies the upgrade there, tests it and removes it', async () => {
    const { definitionId, instanceId, upgradeId } = await upgradable({ SMTP_PASSWORD: 'hunter2hunter2' });
    await backUp(instanceId);
    const begun = await rehearse(upgradeId);
    expect(begun.status, JSON.stringify(begun.json)).toBe(202);
    const rehearsal = begun.json.data as Rehearsal;
    expect(rehearsal).toMatchObject({
      kind: 'upgrade',
      status: 'restoring',
      from_version: '2.0.0',
      to_version: '2.1.0',
      data_bytes: 4_096,
      removed: false,
    });
    const { params } = await template.ordered(instanceId, 'hortus.copy_data');
    expect(params).toMatchObject({
      backup_id: rehearsal.backup_id,
      definition_id: rehearsal.copy_definition_id,
      deployment_id: rehearsal.restore_deployment_id,
      revision: 1,
    });
    await restored(rehearsal);
    const applying = await become(rehearsal.id, 'applying');
    await template.report(applying.change_deployment_id ?? '', 'success');
    await become(rehearsal.id, 'testing');
    await finish(rehearsal.copy_instance_id, 'hortus.smoke', { output: 'all is well' });
    expect(await become(rehearsal.id, 'passed')).toMatchObject({
      output: 'all is well',
      reason: null,
      durations_ms: {
        backup: null,
        restore: expect.any(Number),
        apply: expect.any(Number),
        test: expect.any(Number),
      },
    });
    await finish(rehearsal.copy_instance_id, 'hortus.release');
    await become(rehearsal.id, 'removed');
    const copy = await template.definition(rehearsal.copy_definition_id);
    expect(copy).toMatchObject({ status: 'archived', copy_of: definitionId, template_version: '2.1.0' });
    // The instance and the upgrade are as before.
    expect(await template.definition(definitionId)).toMatchObject({ current_revision: 1, template_version: '2.0.0' });
    expect(await template.read(upgradeId)).toMatchObject({ status: 'available', rehearsal_id: null });
    expect((await service.eventsOf(rehearsal.id)).map(({ type }) => type)).toEqual([
      'audit.rehearsal_begun',
      'audit.rehearsal_passed',
      'audit.rehearsal_removed',
    ]);
  });

  it('a rehearsal whose migration fails says so with the last lines, and leaves upgrade and definition alone', async () => {
    const { definitionId, instanceId, upgradeId } = await upgradable();
    await backUp(instanceId);
    const rehearsal = (await rehearse(upgradeId)).json.data as Rehearsal;
    await restored(rehearsal);
    const { change_deployment_id } = await become(rehearsal.id, 'applying');
    const last_lines = ['duplicate key value violates unique constraint'];
    await template.report(change_deployment_id ?? '', 'failed', { error: 'migrate exited with 1', last_lines });
    expect(await become(rehearsal.id, 'failed')).toMatchObject({
      reason: 'deployment',
      error: 'migrate exited with 1',
      last_lines,
    });
    await finish(rehearsal.copy_instance_id, 'hortus.release');
    await become(rehearsal.id, 'removed');
    expect(await template.definition(definitionId)).toMatchObject({ current_revision: 1, status: 'active' });
    expect(await template.read(upgradeId)).toMatchObject({ status: 'available' });
  });

  describe('the copy', () => {
    it('is in no list, has no upgrade of its own, and no webhook tells of it', async () => {
      const url = 'http://127.0.0.1:9/';
      const events = ['definition.created', 'deployment.started', 'deployment.success', 'action.completed'] as const;
      await service.client.call('webhooks.create', { body: { url, secret: 's'.repeat(32), events: [...events] } });
      const { definitionId, instanceId, upgradeId } = await upgradable();
      await backUp(instanceId);
      const rehearsal = (await rehearse(upgradeId)).json.data as Rehearsal;
      await restored(rehearsal);
      const { change_deployment_id } = await become(rehearsal.id, 'applying');
      await service.client.call('upgrades.scan', { body: {} });
      const { data: definitions } = await service.client.call('definitions.list', {});
      expect(definitions.map(({ id }) => id)).toEqual([definitionId]);
      const { data: instances } = await service.client.call('instances.list', {});
      expect(instances.map(({ id }) => id)).toEqual([instanceId]);
      const { data: upgrades } = await service.client.call('upgrades.list', {});
      expect(upgrades.map(({ id }) => id)).toEqual([upgradeId]);
      await template.report(change_deployment_id ?? '', 'success');
      await become(rehearsal.id, 'testing');
      await finish(rehearsal.copy_instance_id, 'hortus.smoke');
      // An event of the instance itself comes last; all of them are numbered when it is delivered.
      await finish(instanceId, 'hortus.restart', await restartOf(instanceId));
      const delivered = () => service.database.db.selectFrom('deliveries').select('event_id').execute();
      const reported = await service.eventsOf();
      const resources = async () => {
        const ids = new Set((await delivered()).map(({ event_id }) => event_id));
        return reported.filter(({ id }) => ids.has(id)).map(({ resource_id }) => resource_id);
      };
      const last = reported.findLast(({ type }) => type === 'action.completed')?.resource_id;
      await until(async () => (await resources()).includes(last ?? ''), { describe: 'the last delivery' });
      const ofCopy = reported.filter(({ data }) => {
        const { definition_id, instance_id } = data as Record<string, string>;
        return definition_id === rehearsal.copy_definition_id || instance_id === rehearsal.copy_instance_id;
      });
      expect(ofCopy.length).toBeGreaterThan(4);
      const copied = new Set(ofCopy.map(({ resource_id }) => resource_id));
      expect((await resources()).filter((id) => copied.has(id))).toEqual([]);
    });

    const restartOf = async (id: string) => {
      await service.client.call('instances.restart', { params: { id } });
      return {};
    };

    it('gets the inputs and secrets of the instance in an isolated manifest', async () => {
      const { instanceId, definitionId, serverKey, upgradeId } = await upgradable({ SMTP_PASSWORD: 'hunter2hunter2' });
      await backUp(instanceId);
      const rehearsal = (await rehearse(upgradeId)).json.data as Rehearsal;
      const manifestOf = async (deployment: string) => {
        const path = `/manifest?deployment_id=${deployment}`;
        return (await service.request('GET', path, { key: serverKey })).json.data;
      };
      const copy = await manifestOf(rehearsal.restore_deployment_id ?? '');
      const { data: deployments } = await service.client.call('deployments.list', {
        query: { definition_id: definitionId },
      });
      const original = await manifestOf(deployments[0]?.id ?? '');
      expect(original.isolated).toBeUndefined();
      expect(copy).toMatchObject({ routes: [], isolated: { routes: original.routes }, watch_ms: 0 });
      const envs = ({ components }: { components: { env: object; host: string }[] }) =>
        components.map(({ env, host }) => ({ env, host }));
      expect(envs(copy)).toEqual(envs(original));
      expect(copy.instance.uid).not.toBe(original.instance.uid);
      // A reader without a server key sees no secret of the copy.
      const readable = await service.request('GET', `/manifest?definition_id=${rehearsal.copy_definition_id}`);
      expect(JSON.stringify(readable.json)).not.toContain('hunter2hunter2');
    });

    it('can neither be migrated nor be reactivated after its removal, when nothing would remove it again', async () => {
      const { instanceId, upgradeId } = await upgradable();
      await backUp(instanceId);
      const rehearsal = (await rehearse(upgradeId)).json.data as Rehearsal;
      const { copy_definition_id: copy, id } = rehearsal;
      const { data: other } = await service.client.call('servers.register', {
        body: { name: 'elsewhere', environment: 'staging' },
      });
      const body = { server_id: other.id };
      expectRefusal(await service.request('POST', `/definitions/${copy}/migrate`, { body }), 'VALIDATION_ERROR', 'id');
      await finish(instanceId, 'hortus.copy_data', { status: 'failed', error: 'no space left' });
      await finish(rehearsal.copy_instance_id, 'hortus.release');
      await become(id, 'removed');
      expect((await template.definition(copy)).status).toBe('archived');
      expectRefusal(await service.request('POST', `/definitions/${copy}/activate`), 'VALIDATION_ERROR', 'id');
    });

    it('is removed also if its data could not be restored', async () => {
      const { instanceId, upgradeId } = await upgradable();
      await backUp(instanceId);
      const rehearsal = (await rehearse(upgradeId)).json.data as Rehearsal;
      const { id } = await template.ordered(instanceId, 'hortus.copy_data');
      await service.handOver(id);
      const body = { status: 'failed' as const, error: 'no space left' };
      await service.client.call('actions.report', { params: { execution_id: id }, body });
      expect(await become(rehearsal.id, 'failed')).toMatchObject({
        reason: 'restore',
        error: expect.stringContaining('no space left'),
      });
      const release = await finish(rehearsal.copy_instance_id, 'hortus.release');
      expect(release.params).toMatchObject({ remove_volumes: true, confirm: expect.arrayContaining(['uploads']) });
      await become(rehearsal.id, 'removed');
    });

    it('is removed although the service is restarted at every step', async () => {
      await use(await startApp(engine));
      const { instanceId, upgradeId } = await upgradable();
      await backUp(instanceId);
      const rehearsal = (await rehearse(upgradeId)).json.data as Rehearsal;
      await restored(rehearsal);
      await become(rehearsal.id, 'applying');
      await restart();
      const { change_deployment_id } = await become(rehearsal.id, 'applying');
      await template.report(change_deployment_id ?? '', 'success');
      await restart();
      await become(rehearsal.id, 'testing');
      await finish(rehearsal.copy_instance_id, 'hortus.smoke');
      await restart();
      await finish(rehearsal.copy_instance_id, 'hortus.release');
      expect(await become(rehearsal.id, 'removed')).toMatchObject({ status: 'passed' });
    });
  });

  describe('the data of a rehearsal', () => {
    it('is refused without a backup of the running revision, because a fresh one would stop the application', async () => {
      const { instanceId, upgradeId } = await upgradable();
      const refused = await rehearse(upgradeId);
      expectRefusal(refused, 'VALIDATION_ERROR', 'fresh_backup');
      expect(refused.json.error.details).toMatchObject({ reason: 'no_backup' });
      await backUp(instanceId, 7);
      expectRefusal(await rehearse(upgradeId), 'VALIDATION_ERROR', 'fresh_backup');
      const copies = service.database.db
        .selectFrom('definitions')
        .select('id')
        .where('account_id', '=', service.accountId)
        .where('copy_of', 'is not', null);
      expect(await copies.execute()).toEqual([]);
    });

    it('comes from a fresh backup if that is requested', async () => {
      const { instanceId, upgradeId } = await upgradable();
      const begun = (await rehearse(upgradeId, { fresh_backup: true })).json.data as Rehearsal;
      expect(begun).toMatchObject({ status: 'preparing', restore_deployment_id: null });
      await template.settle(instanceId, 'hortus.backup', { revision: 1 });
      expect(await become(begun.id, 'restoring')).toMatchObject({
        data_bytes: 4_096,
        durations_ms: { backup: expect.any(Number) },
      });
    });

    it('says so if the fresh backup fails', async () => {
      const { instanceId, upgradeId } = await upgradable();
      const { id, copy_instance_id } = (await rehearse(upgradeId, { fresh_backup: true })).json.data as Rehearsal;
      await template.settle(instanceId, 'hortus.backup', { error: 'the dump failed' });
      expect(await become(id, 'failed')).toMatchObject({ reason: 'backup', error: 'the dump failed' });
      await finish(copy_instance_id, 'hortus.release');
      await become(id, 'removed');
    });
  });

  describe('applying with a rehearsal', () => {
    async function applied() {
      const upgradable_ = await upgradable();
      await backUp(upgradable_.instanceId);
      const begun = await template.apply(upgradable_.upgradeId, { rehearse: true });
      expect(begun.json.data).toMatchObject({ status: 'applying', step: 'upgrade_rehearse', deployment_id: null });
      const rehearsal = await read(begun.json.data.rehearsal_id);
      await restored(rehearsal);
      const { change_deployment_id } = await become(rehearsal.id, 'applying');
      return { ...upgradable_, rehearsal, change: change_deployment_id ?? '' };
    }

    it('goes on if the rehearsal passed', async () => {
      const { instanceId, upgradeId, rehearsal, change } = await applied();
      await template.report(change, 'success');
      await become(rehearsal.id, 'testing');
      await finish(rehearsal.copy_instance_id, 'hortus.smoke');
      await template.until(upgradeId, 'upgrade_backup');
      await template.settle(instanceId, 'hortus.backup', { revision: 1 });
      const { deployment_id } = await template.until(upgradeId, 'upgrade_deploy');
      await template.report(deployment_id ?? '', 'success');
      await template.until(upgradeId, 'applied');
    });

    it('changes nothing if the rehearsal failed', async () => {
      const { definitionId, upgradeId, change } = await applied();
      await template.report(change, 'failed', { error: 'migrate exited with 1' });
      expect(await template.until(upgradeId, 'failed')).toMatchObject({
        reason: 'rehearsal',
        error: 'Nothing was changed: the rehearsal failed: migrate exited with 1',
        deployment_id: null,
      });
      expect(await template.definition(definitionId)).toMatchObject({ current_revision: 1, template_version: '2.0.0' });
    });
  });

  describe('a clone', () => {
    async function cloned(body: CloneOrder = {}) {
      const deployed = await template.deploy();
      await backUp(deployed.instanceId);
      const response = await clone(deployed.instanceId, body);
      expect(response.status, JSON.stringify(response.json)).toBe(202);
      return { ...deployed, copy: response.json.data as Rehearsal };
    }

    it('has the overrides of its original', async () => {
      const deployed = await template.deploy();
      const overrides = { app: { placement: { constraints: { disk: 'ssd' } } } };
      await service.client.call('definitions.update', { params: { id: deployed.definitionId }, body: { overrides } });
      const order = { body: { definition_id: deployed.definitionId } };
      const { data } = await service.client.call('deployments.execute', order);
      await template.report(data.id, 'success');
      await backUp(deployed.instanceId, 2);
      const copy = (await clone(deployed.instanceId)).json.data as Rehearsal;
      expect(await template.definition(copy.copy_definition_id)).toMatchObject({ overrides });
    });

    it('is kept for an hour and then removed', async () => {
      await use(await startApp(engine));
      const { copy } = await cloned();
      expect(copy).toMatchObject({ kind: 'clone', upgrade_id: null });
      const kept = Date.parse(copy.keep_until ?? '') - Date.parse(copy.created_at);
      expect(kept).toBe(3_600_000);
      await restored(copy);
      await become(copy.id, 'testing');
      await finish(copy.copy_instance_id, 'hortus.smoke');
      await become(copy.id, 'passed');
      const dueAt = async () =>
        (await service.database.db.selectFrom('jobs').select('run_at').where('key', '=', copy.id).executeTakeFirst())
          ?.run_at;
      const keptUntil = Date.parse(copy.keep_until ?? '');
      await until(async () => (await dueAt()) === keptUntil, { describe: 'the job to wait for the end of the hour' });
      const { data: orders } = await service.client.call('actions.history', { params: { id: copy.copy_instance_id } });
      expect(orders.map(({ slug }) => slug)).not.toContain('hortus.release');
      const { db } = service.database;
      const key = copy.id;
      await db.updateTable('rehearsals').set({ keep_until: 1 }).where('id', '=', key).execute();
      await db.updateTable('jobs').set({ run_at: 1 }).where('key', '=', key).execute();
      await restart();
      await finish(copy.copy_instance_id, 'hortus.release');
      await become(copy.id, 'removed');
    });

    it('tries a change of the definition, and is kept to look at if that fails, until it is removed', async () => {
      const { copy, definitionId } = await cloned({ inputs: { SITE_TITLE: 'Changed' } });
      await restored(copy);
      const { change_deployment_id } = await become(copy.id, 'applying');
      expect(await template.definition(copy.copy_definition_id)).toMatchObject({ inputs: { SITE_TITLE: 'Changed' } });
      expect((await template.definition(definitionId)).inputs).not.toHaveProperty('SITE_TITLE');
      await template.report(change_deployment_id ?? '', 'failed', { error: 'it did not become healthy' });
      await become(copy.id, 'failed');
      const { data } = await service.client.call('rehearsals.remove', { params: { id: copy.id } });
      expect(Date.parse(data.keep_until ?? '')).toBeLessThanOrEqual(Date.now());
      await finish(copy.copy_instance_id, 'hortus.release');
      await become(copy.id, 'removed');
    });

    it('with changes needs the permission to change definitions', async () => {
      const deployed = await template.deploy();
      await backUp(deployed.instanceId);
      const permissions = ['deployments:execute', 'deployments:read'] as const;
      const body = { name: 'pipeline', permissions: [...permissions] };
      const { key } = (await service.client.call('keys.create', { body })).data;
      const order = (inputs: object) =>
        service.request('POST', `/instances/${deployed.instanceId}/clone`, { key, body: inputs });
      expectRefusal(await order({ inputs: { SITE_TITLE: 'Changed' } }), 'FORBIDDEN');
      expect((await order({})).status).toBe(202);
    });

    it('exists once per instance, and cancelling it makes room for another', async () => {
      const { copy, instanceId } = await cloned();
      const refused = await clone(instanceId);
      expectRefusal(refused, 'VALIDATION_ERROR', 'id');
      expect(refused.json.error.details).toMatchObject({ reason: 'rehearsing', rehearsal_id: copy.id });
      const { data } = await service.client.call('rehearsals.remove', { params: { id: copy.id } });
      expect(data).toMatchObject({ status: 'failed', reason: 'cancelled' });
      await finish(copy.copy_instance_id, 'hortus.release');
      await become(copy.id, 'removed');
      expect((await clone(instanceId)).status).toBe(202);
    });

    it('of a copy is refused', async () => {
      const { copy } = await cloned();
      await restored(copy);
      await become(copy.id, 'testing');
      expectRefusal(await clone(copy.copy_instance_id), 'VALIDATION_ERROR', 'id');
    });
  });
});
