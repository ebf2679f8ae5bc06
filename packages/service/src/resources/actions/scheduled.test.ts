import { createClient } from '@hortus/client/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../records/ids.ts';
import { onBothEngines } from '../../testing/engines.ts';
import { type RunningService, startApp } from '../../testing/running-service.ts';

const SECRET = 'hunter2hunter2';

onBothEngines((engine) => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startApp(engine);
  });

  async function deployInstance() {
    const { client, base } = service;
    const { data: server } = await client.call('servers.register', {
      body: { name: 'server-1', environment: 'staging' },
    });
    const uid = newId('definition').replace('def_', 'blog-');
    const inputs = { WEB_HOSTNAME: 'blog.example.org', SMTP_PASSWORD: SECRET };
    const { data: definition } = await client.call('definitions.create', {
      body: { species: 'inkwell', instance_uid: uid, server_id: server.id, inputs },
    });
    const { data: ordered } = await client.call('deployments.execute', { body: { definition_id: definition.id } });
    const daemon = createClient({ baseUrl: base, key: server.api_key, retries: { attempts: 1 } });
    const { data: ended } = await daemon.call('deployments.report', {
      body: { deployment_id: ordered.id, status: 'success' },
    });
    const report = {
      execution_id: newId('execution'),
      definition_id: definition.id,
      component: 'tidy',
      status: 'completed' as const,
      exit_code: 0,
      output: `tidied with ${SECRET}`,
      due_at: '2026-01-02T03:00:00.000Z',
      started_at: Date.parse('2026-01-02T03:00:01.000Z'),
    };
    return { daemon, report, instanceId: ended.instance_id ?? '' };
  }

  describe('a scheduled job', () => {
    it('is in the history of its instance, with its times and without secrets', async () => {
      const { daemon, report, instanceId } = await deployInstance();
      const { execution } = await daemon.call('actions.reportScheduled', { body: report });
      expect(execution).toMatchObject({
        id: report.execution_id,
        kind: 'scheduled',
        slug: 'tidy',
        status: 'completed',
        output: 'tidied with ***',
        created_at: report.due_at,
        started_at: '2026-01-02T03:00:01.000Z',
      });
      const params = { id: instanceId };
      const scheduled = await service.client.call('actions.history', { params, query: { kind: 'scheduled' } });
      expect(scheduled.data.map(({ id }) => id)).toEqual([report.execution_id]);
      expect((await service.client.call('actions.history', { params, query: { kind: 'ordered' } })).data).toEqual([]);
    });

    it('is idempotent: a repeated report adds no record and no event', async () => {
      const { daemon, report } = await deployInstance();
      const body = { ...report, status: 'failed' as const, exit_code: 3, error: 'No space' };
      const responses = await Promise.all([1, 2, 3].map(() => daemon.call('actions.reportScheduled', { body })));
      for (const { execution } of responses) expect(execution).toMatchObject({ status: 'failed', error: 'No space' });
      const events = await service.database.db
        .selectFrom('events')
        .select(['type', 'data'])
        .where('resource_id', '=', report.execution_id)
        .execute();
      expect(events.map(({ type }) => type)).toEqual(['action.failed']);
      expect(JSON.parse(events[0]?.data ?? '')).toMatchObject({ kind: 'scheduled', slug: 'tidy' });
    });

    it('is refused for another server, with the id of another account or with an invalid id', async () => {
      const { report } = await deployInstance();
      const other = await deployInstance();
      await expect(other.daemon.call('actions.reportScheduled', { body: report })).rejects.toMatchObject({
        status: 404,
      });
      await other.daemon.call('actions.reportScheduled', { body: other.report });
      const { daemon, report: mine } = await deployInstance();
      const stolen = { ...mine, execution_id: other.report.execution_id };
      await expect(daemon.call('actions.reportScheduled', { body: stolen })).rejects.toMatchObject({ status: 404 });
      const nameless = { ...mine, execution_id: 'exe_1' };
      await expect(daemon.call('actions.reportScheduled', { body: nameless })).rejects.toMatchObject({ status: 422 });
    });
  });
});
