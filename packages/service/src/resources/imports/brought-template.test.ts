import { until } from '@hortus/testkit/until';
import { describe, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { startApp } from '../../testing/running-service.ts';
import { openWithQuill } from './testing/quill.ts';
import { refusal } from './testing/two-houses.ts';

onBothEngines((engine) => {
  describe('a template that an import has brought', () => {
    it('goes with the import that is cancelled, can be brought again, and stays with one that succeeds', async () => {
      const { there, quill, quills, bring, cancel, becomes } = await openWithQuill(engine);
      const first = await bring(quill());
      expect(await quills()).toEqual(['9.9.9']);
      await cancel(first.id);
      expect(await quills()).toEqual([]);
      const removed = async () => {
        const { data } = await there.client.call('events.list', {
          query: { type: 'audit.template_removed', after: 0 },
        });
        return data.map(({ data }) => data);
      };
      await until(async () => (await removed()).length > 0, { describe: 'the removal to be told' });
      expect(await removed()).toMatchObject([{ species: 'quill', version: '9.9.9' }]);
      const second = await bring(quill('9.9.9', { volumes: [] }));
      const { definition_id } = await becomes(second.id, 'completed');
      expect(await quills()).toEqual(['9.9.9']);
      await there.client.call('definitions.archive', { params: { id: definition_id ?? '' } });
      // Somebody had it once: it is a part of what can be activated again.
      await cancel((await bring(quill(), { instance_uid: 'third' })).id);
      expect(await quills()).toEqual(['9.9.9']);
    });

    it('goes with the import whose volume could not be filled', async () => {
      const { there, quill, bring, becomes, become } = await openWithQuill(engine);
      const { id } = await bring(quill());
      const { data } = await there.client.call('imports.fill', { params: { id }, body: { volume: 'uploads' } });
      const body = { status: 'failed', error: 'No space left on the device.' } as const;
      await there.daemon.call('transfers.report', { params: { id: data.id }, body });
      await becomes(id, 'failed');
      await become([]);
    });

    it('goes with the import that nobody has gone on with, whichever process finds that', async () => {
      const { service, there, quill, bring } = await openWithQuill(engine);
      const { id } = await bring(quill());
      await service.app.close();
      await service.sideDoor.db.updateTable('imports').set({ progress_at: 0 }).where('id', '=', id).execute();
      await service.sideDoor.db.updateTable('jobs').set({ run_at: 0 }).where('kind', '=', 'bundle.import').execute();
      const next = await startApp(engine, {}, service.ground);
      const { key } = there.caller;
      const look = async (path: string) => (await next.request('GET', path, { key })).json.data;
      await until(async () => (await look(`/imports/${id}`)).status === 'failed', { describe: 'it to be given up' });
      expect(await look(`/imports/${id}`)).toMatchObject({ reason: 'deadline' });
      await until(async () => (await look('/templates?species=quill')).length === 0, { describe: 'quill to be gone' });
    });

    it('does not come with an import that is refused, first or repeated', async () => {
      const { there, quill, quills, bring, plant, cancel, publish } = await openWithQuill(engine);
      const { id } = await bring(quill());
      // All was well until the import itself was to begin.
      expect(await refusal(bring(quill('10.0.0')))).toMatchObject({ field: 'instance_uid', reason: 'taken' });
      expect(await refusal(bring(quill('10.0.0', { profile: 'nightly' })))).toMatchObject({ field: 'profile' });
      expect(await quills()).toEqual(['9.9.9']);
      await cancel(id);
      const body = { server_id: there.serverId, bundle: quill(), instance_uid: 'once' };
      const order = { body, idempotencyKey: 'once' };
      const first = (await there.client.call('definitions.import', order)).data;
      await cancel(first.id);
      expect((await there.client.call('definitions.import', order)).data.id).toBe(first.id);
      expect(await quills()).toEqual([]);
      await publish('1.0.0');
      await plant('blog');
      expect(await refusal(bring(quill()))).toMatchObject({ field: 'instance_uid', reason: 'taken' });
      expect(await quills()).toEqual(['1.0.0']);
    });

    it('stays if the account had it before, published or as a draft', async () => {
      const { quill, quills, bring, cancel, publish, draft } = await openWithQuill(engine);
      await publish('1.0.0');
      await draft('2.0.0');
      for (const version of ['1.0.0', '2.0.0']) await cancel((await bring(quill(version))).id);
      expect(await quills()).toEqual(['2.0.0', '1.0.0']);
    });

    it('stays if something was planted from it meanwhile', async () => {
      const { there, quill, quills, bring, plant, cancel } = await openWithQuill(engine);
      const { id } = await bring(quill());
      const planted = await plant('other');
      await cancel(id);
      expect(await quills()).toEqual(['9.9.9']);
      const { data } = await there.client.call('definitions.read', { params: { id: planted } });
      expect(data).toMatchObject({ species: 'quill', template_version: '9.9.9' });
    });

    it('stays while another import waits for it, and goes with the last', async () => {
      const { quill, quills, bring, cancel } = await openWithQuill(engine);
      const begun = await Promise.all(['a', 'b', 'c'].map((instance_uid) => bring(quill(), { instance_uid })));
      for (const { id } of begun) {
        expect(await quills()).toEqual(['9.9.9']);
        await cancel(id);
      }
      expect(await quills()).toEqual([]);
    });

    it('takes the upgrade to it along that was only offered', async () => {
      const { there, quill, quills, bring, plant, publish, cancel } = await openWithQuill(engine);
      await publish('1.0.0');
      const definition_id = await plant('other');
      const { id } = (await there.client.call('deployments.execute', { body: { definition_id } })).data;
      await there.client.call('deployments.status', { params: { id }, body: { status: 'success' } });
      const begun = await bring(quill());
      const offers = async () => (await there.client.call('upgrades.list')).data;
      await until(async () => (await offers()).length > 0, { describe: 'an upgrade to be offered' });
      await cancel(begun.id);
      expect(await offers()).toEqual([]);
      expect(await quills()).toEqual(['1.0.0']);
    });

    it('is there for what is planted while it goes, or neither is', async () => {
      const { there, quill, quills, bring, plant, cancel } = await openWithQuill(engine);
      for (let round = 1; round <= 6; round++) {
        const { id } = await bring(quill(`${round}.0.0`));
        const [planted, cancelled] = await Promise.allSettled([plant(`made-${round}`), cancel(id)]);
        expect(cancelled.status).toBe('fulfilled');
        if (planted.status === 'rejected') {
          expect(await refusal(Promise.reject(planted.reason))).toMatchObject({ status: 422, field: 'species' });
          expect(await quills()).toEqual([]);
          continue;
        }
        const { data } = await there.client.call('definitions.read', { params: { id: planted.value } });
        expect(await quills()).toContain(data.template_version);
      }
    });
  });
});
