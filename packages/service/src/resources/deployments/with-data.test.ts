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
    service = await installation.inNewAccount();
    template = new VersionedTemplate(service);
    await template.publish('2.0.0', withBackup);
  });

  const order = (definition_id: string, more: object = { backup_first: true }) =>
    service.request('POST', '/deployments/execute', { body: { definition_id, ...more } });
  const read = async (id: string) => (await service.client.call('deployments.read', { params: { id } })).data;
  const rollback = (id: string, with_data: boolean, key = service.key) =>
    service.request('POST', `/deployments/${id}/rollback`, { key, body: { with_data } });
  const revise = (id: string, title: string) =>
    service.client.call('definitions.update', { params: { id }, body: { inputs: { SITE_TITLE: title } } });
  const ended = (id: string) =>
    until(
      async () => {
        const deployment = await read(id);
        return deployment.status === 'failed' ? deployment : undefined;
      },
      { describe: `${id} to fail`, within: 20_000 },
    );
  const untilOffered = (key: string, id: string) =>
    until(async () => (await template.offered(key)).includes(id), { describe: `${id} to be offered`, within: 20_000 });

  describe('a deployment with a backup first', () => {
    it('waits for the backup, records it, and then starts', async () => {
      const { definitionId, instanceId, serverKey } = await template.deploy();
      await revise(definitionId, 'Second');
      const { status, json } = await order(definitionId);
      expect(status).toBe(201);
      const { id, backup_id, preparation } = json.data;
      expect(json.data).toMatchObject({ status: 'pending', preparation: { kind: 'backup', done: false } });
      expect(await template.offered(serverKey)).toEqual([]);
      const claim = { key: serverKey, body: { status: 'running' } };
      const early = await service.request('PATCH', `/deployments/${id}/status`, claim);
      expectRefusal(early, 'VALIDATION_ERROR', 'status');
      const execution = await template.settle(instanceId, 'hortus.backup', { revision: 1 });
      expect(execution.id).toBe(preparation.execution_id);
      await untilOffered(serverKey, id);
      expect(await read(id)).toMatchObject({ backup_id, preparation: { done: true } });
      const { data: backup } = await service.client.call('backups.read', { params: { id: backup_id } });
      expect(backup).toMatchObject({ kind: 'pre_deploy', status: 'completed', revision: 1 });
      await template.report(id, 'success');
      expect((await service.eventsOf(id)).map(({ type }) => type)).toEqual([
        'deployment.started',
        'deployment.success',
      ]);
    });

    it('changes nothing if the backup fails, and lets the next deployment start', async () => {
      const { definitionId, instanceId, serverKey } = await template.deploy();
      await revise(definitionId, 'Second');
      const { id } = (await order(definitionId)).json.data;
      const { id: next } = (await order(definitionId, {})).json.data;
      await template.settle(instanceId, 'hortus.backup', { error: 'no space left.' });
      expect(await ended(id)).toMatchObject({
        reason: 'backup',
        error: 'Nothing was changed: the backup before the deployment failed: no space left.',
        started_at: null,
      });
      expect((await service.eventsOf(id)).map(({ type }) => type)).toEqual(['deployment.failed']);
      expect((await service.client.call('instances.read', { params: { id: instanceId } })).data).toMatchObject({
        status: 'running',
        revision: 1,
      });
      await untilOffered(serverKey, next);
    });

    it('takes the backup of what it replaces when it reaches the head of the queue, not earlier', async () => {
      const { definitionId, instanceId, serverKey } = await template.deploy();
      await revise(definitionId, 'Second');
      const { id: first } = (await order(definitionId, {})).json.data;
      await revise(definitionId, 'Third');
      const { id, preparation, backup_id } = (await order(definitionId)).json.data;
      expect({ preparation, backup_id }).toEqual({
        preparation: { kind: 'backup', execution_id: null, done: false },
        backup_id: null,
      });
      await template.report(first, 'success');
      await template.settle(instanceId, 'hortus.backup', { revision: 2 });
      await untilOffered(serverKey, id);
    });

    it('needs a template that declares a backup, unless nothing is deployed yet', async () => {
      await template.publish('2.1.0');
      const { definitionId } = await template.deploy();
      expectRefusal(await order(definitionId), 'VALIDATION_ERROR', 'backup_first');
      const { data: server } = await service.client.call('servers.register', {
        body: { name: 'new', environment: 'staging' },
      });
      const inputs = { WEB_HOSTNAME: 'new.example.org' };
      const body = { species: 'inkwell', instance_uid: 'new', server_id: server.id, inputs };
      const { id } = (await service.client.call('definitions.create', { body })).data;
      const first = (await order(id)).json.data;
      expect(first).toMatchObject({ preparation: { kind: 'backup', execution_id: null, done: true } });
      expect(await template.offered(server.api_key)).toEqual([first.id]);
    });
  });

  describe('a rollback with data', () => {
    /** Deploys revision 1, then revision 2 with a backup before it. */
    async function deployedTwice(kind?: 'dump') {
      const target = await template.deploy();
      await revise(target.definitionId, 'Second');
      const { id, backup_id: backupId } = (await order(target.definitionId)).json.data;
      await template.settle(target.instanceId, 'hortus.backup', { revision: 1, ...(kind && { kind }) });
      await untilOffered(target.serverKey, id);
      await template.report(id, 'success');
      return { ...target, id, backupId };
    }

    it('restores the backup of that revision before it is deployed', async () => {
      const { id, backupId, definitionId, instanceId, serverKey } = await deployedTwice();
      const response = await rollback(id, true);
      expect(response.status).toBe(201);
      const { id: back } = response.json.data;
      expect(response.json.data).toMatchObject({
        kind: 'rollback',
        revision: 1,
        backup_id: backupId,
        preparation: { kind: 'restore', done: false },
      });
      expect(await template.offered(serverKey)).toEqual([]);
      expectRefusal(await service.request('POST', `/deployments/${back}/cancel`), 'VALIDATION_ERROR', 'status');
      const { params } = await template.settle(instanceId, 'hortus.return_data', { revision: 2 });
      expect(params).toMatchObject({ backup_id: backupId, deployment_id: back, revision: 1, resume: true });
      await untilOffered(serverKey, back);
      await template.report(back, 'success');
      expect(await template.definition(definitionId)).toMatchObject({ current_revision: 1 });
      const { data: safety } = await service.client.call('backups.list', { query: { kind: 'safety' } });
      expect(safety).toMatchObject([{ status: 'completed' }]);
      expect((await service.eventsOf(backupId)).map(({ type }) => type)).toEqual([
        'audit.backup_ordered',
        'audit.backup_completed',
        'audit.backup_restore_ordered',
        'audit.backup_restored',
      ]);
    });

    it('fails with the error of the daemon if the data cannot be restored', async () => {
      const { id, definitionId, instanceId } = await deployedTwice();
      const { id: back } = (await rollback(id, true)).json.data;
      await template.settle(instanceId, 'hortus.return_data', { error: 'chunk 2 is damaged' });
      expect(await ended(back)).toMatchObject({
        reason: 'restore',
        error: 'The data could not be restored: chunk 2 is damaged',
      });
      expect(await template.definition(definitionId)).toMatchObject({ current_revision: 2 });
    });

    for (const container of ['keep', 'remove'])
      it(`prevents archiving its definition (container=${container}) until it has ended`, async () => {
        const { id, definitionId, instanceId, serverKey } = await deployedTwice();
        const { id: back } = (await rollback(id, true)).json.data;
        const archive = () => service.request('DELETE', `/definitions/${definitionId}?container=${container}`);
        const refused = async () => {
          const response = await archive();
          expectRefusal(response, 'VALIDATION_ERROR', 'id');
          expect(response.json.error.details).toMatchObject({ reason: 'restoring', deployment_id: back });
          expect(await template.definition(definitionId)).not.toMatchObject({ status: 'archived' });
        };
        await refused();
        await template.settle(instanceId, 'hortus.return_data', { revision: 2 });
        await untilOffered(serverKey, back);
        await refused();
        await template.report(back, 'success');
        expect((await archive()).json.data).toMatchObject({ status: 'archived', current_revision: 1 });
      });

    it('fails if the backup was deleted before its turn', async () => {
      const { id, backupId, definitionId } = await deployedTwice();
      const { id: first } = (await order(definitionId, {})).json.data;
      const { id: back } = (await rollback(id, true)).json.data;
      await service.client.call('backups.delete', { params: { id: backupId } });
      await template.report(first, 'success');
      expect(await ended(back)).toMatchObject({ reason: 'restore', error: expect.stringContaining('deleting') });
    });

    it('is refused without such a backup, and without the permission to restore one', async () => {
      const { id, definitionId } = await deployedTwice();
      await revise(definitionId, 'Third');
      const { id: third } = (await order(definitionId, {})).json.data;
      await template.report(third, 'success');
      const refused = await rollback(third, true);
      expectRefusal(refused, 'VALIDATION_ERROR', 'with_data');
      expect(refused.json.error.details.reason).toBe('no_backup');
      const body = { name: 'ci', permissions: ['deployments:execute' as const] };
      const { key } = (await service.client.call('keys.create', { body })).data;
      expectRefusal(await rollback(id, true, key), 'FORBIDDEN');
      expect((await rollback(id, false, key)).status).toBe(201);
    });

    it('restores a dump if the template declares how', async () => {
      const { id } = await deployedTwice('dump');
      expect((await rollback(id, true)).json.data).toMatchObject({ preparation: { kind: 'restore' } });
    });
  });
});
