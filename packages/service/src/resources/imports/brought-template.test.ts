import { until } from '@hortus/testkit/until';
import { beforeAll, describe, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { type RunningService, startApp } from '../../testing/running-service.ts';
import { refusal } from './testing/two-accounts.ts';
import { openWaitingImport } from './testing/waiting-import.ts';

onBothEngines((engine) => {
  let installation: RunningService;
  beforeAll(async () => {
    installation = await startApp(engine);
  });

  describe('a template added by an import', () => {
    it('is removed with a cancelled import, can be added again, and stays after a successful one', async () => {
      const { there, bundleOf, versionsOfTemplate, bring, cancel, becomes } = await openWaitingImport(installation);
      const first = await bring(bundleOf());
      expect(await versionsOfTemplate()).toEqual(['9.9.9']);
      await cancel(first.id);
      expect(await versionsOfTemplate()).toEqual([]);
      const removed = async () => {
        const { data } = await there.client.call('events.list', {
          query: { type: 'audit.template_removed', after: 0 },
        });
        return data.map(({ data }) => data);
      };
      await until(async () => (await removed()).length > 0, { describe: 'the removal to be told' });
      expect(await removed()).toMatchObject([{ species: 'imported', version: '9.9.9' }]);
      const second = await bring(bundleOf('9.9.9', { volumes: [] }));
      const { definition_id } = await becomes(second.id, 'completed');
      expect(await versionsOfTemplate()).toEqual(['9.9.9']);
      await there.client.call('definitions.archive', { params: { id: definition_id ?? '' } });
      // A definition was created from it, which can be activated again.
      await cancel((await bring(bundleOf(), { instance_uid: 'third' })).id);
      expect(await versionsOfTemplate()).toEqual(['9.9.9']);
    });

    it('is removed with an import whose volume could not be filled', async () => {
      const { there, bundleOf, bring, becomes, become } = await openWaitingImport(installation);
      const { id } = await bring(bundleOf());
      const { data } = await there.client.call('imports.fill', { params: { id }, body: { volume: 'uploads' } });
      const body = { status: 'failed', error: 'No space left on the device.' } as const;
      await there.daemon.call('transfers.report', { params: { id: data.id }, body });
      await becomes(id, 'failed');
      await become([]);
    });

    it('is removed with an abandoned import, found by any process', async () => {
      const { service, there, bundleOf, bring } = await openWaitingImport(await startApp(engine));
      const { id } = await bring(bundleOf());
      await service.app.close();
      await service.database.db.updateTable('imports').set({ progress_at: 0 }).where('id', '=', id).execute();
      await service.database.db.updateTable('jobs').set({ run_at: 0 }).where('kind', '=', 'bundle.import').execute();
      const next = await startApp(engine, {}, service.testDatabase);
      const { key } = there.caller;
      const poll = async (path: string) => (await next.request('GET', path, { key })).json.data;
      await until(async () => (await poll(`/imports/${id}`)).status === 'failed', { describe: 'it to be given up' });
      expect(await poll(`/imports/${id}`)).toMatchObject({ reason: 'deadline' });
      await until(async () => (await poll('/templates?species=imported')).length === 0, {
        describe: 'the template to be gone',
      });
    });

    it('is not added by a refused import, first or repeated', async () => {
      const { there, bundleOf, versionsOfTemplate, bring, defineFromTemplate, cancel, publish } =
        await openWaitingImport(installation);
      const { id } = await bring(bundleOf());
      // Everything passed until the import itself was to begin.
      expect(await refusal(bring(bundleOf('10.0.0')))).toMatchObject({ field: 'instance_uid', reason: 'taken' });
      expect(await refusal(bring(bundleOf('10.0.0', { profile: 'nightly' })))).toMatchObject({ field: 'profile' });
      expect(await versionsOfTemplate()).toEqual(['9.9.9']);
      await cancel(id);
      const body = { server_id: there.serverId, bundle: bundleOf(), instance_uid: 'once' };
      const order = { body, idempotencyKey: 'once' };
      const first = (await there.client.call('definitions.import', order)).data;
      await cancel(first.id);
      expect((await there.client.call('definitions.import', order)).data.id).toBe(first.id);
      expect(await versionsOfTemplate()).toEqual([]);
      await publish('1.0.0');
      await defineFromTemplate('blog');
      expect(await refusal(bring(bundleOf()))).toMatchObject({ field: 'instance_uid', reason: 'taken' });
      expect(await versionsOfTemplate()).toEqual(['1.0.0']);
    });

    it('stays if the account had it before, published or as a draft', async () => {
      const { bundleOf, versionsOfTemplate, bring, cancel, publish, draft } = await openWaitingImport(installation);
      await publish('1.0.0');
      await draft('2.0.0');
      for (const version of ['1.0.0', '2.0.0']) await cancel((await bring(bundleOf(version))).id);
      expect(await versionsOfTemplate()).toEqual(['2.0.0', '1.0.0']);
    });

    it('stays if a definition was created from it meanwhile', async () => {
      const { there, bundleOf, versionsOfTemplate, bring, defineFromTemplate, cancel } =
        await openWaitingImport(installation);
      const { id } = await bring(bundleOf());
      const defined = await defineFromTemplate('other');
      await cancel(id);
      expect(await versionsOfTemplate()).toEqual(['9.9.9']);
      const { data } = await there.client.call('definitions.read', { params: { id: defined } });
      expect(data).toMatchObject({ species: 'imported', template_version: '9.9.9' });
    });

    it('stays while another import waits for it, and is removed with the last', async () => {
      const { bundleOf, versionsOfTemplate, bring, cancel } = await openWaitingImport(installation);
      const begun = await Promise.all(['a', 'b', 'c'].map((instance_uid) => bring(bundleOf(), { instance_uid })));
      for (const { id } of begun) {
        expect(await versionsOfTemplate()).toEqual(['9.9.9']);
        await cancel(id);
      }
      expect(await versionsOfTemplate()).toEqual([]);
    });

    it('is removed with an upgrade to it that was only offered', async () => {
      const { there, bundleOf, versionsOfTemplate, bring, defineFromTemplate, publish, cancel } =
        await openWaitingImport(installation);
      await publish('1.0.0');
      const definition_id = await defineFromTemplate('other');
      const { id } = (await there.client.call('deployments.execute', { body: { definition_id } })).data;
      await there.client.call('deployments.status', { params: { id }, body: { status: 'success' } });
      const begun = await bring(bundleOf());
      const offers = async () => (await there.client.call('upgrades.list')).data;
      await until(async () => (await offers()).length > 0, { describe: 'an upgrade to be offered' });
      await cancel(begun.id);
      expect(await offers()).toEqual([]);
      expect(await versionsOfTemplate()).toEqual(['1.0.0']);
    });

    it('exists for a concurrently created definition, or neither does', async () => {
      const { there, bundleOf, versionsOfTemplate, bring, defineFromTemplate, cancel } =
        await openWaitingImport(installation);
      for (let round = 1; round <= 6; round++) {
        const { id } = await bring(bundleOf(`${round}.0.0`));
        const [defined, cancelled] = await Promise.allSettled([defineFromTemplate(`made-${round}`), cancel(id)]);
        expect(cancelled.status).toBe('fulfilled');
        if (defined.status === 'rejected') {
          expect(await refusal(Promise.reject(defined.reason))).toMatchObject({ status: 422, field: 'species' });
          expect(await versionsOfTemplate()).toEqual([]);
          continue;
        }
        const { data } = await there.client.call('definitions.read', { params: { id: defined.value } });
        expect(await versionsOfTemplate()).toContain(data.template_version);
      }
    });
  });
});
