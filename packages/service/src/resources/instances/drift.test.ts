import type { Drift } from '@hortus/contract/resources/instance-records';
import { until } from '@hortus/testkit/until';
import { beforeAll, describe, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { type RunningService, startApp } from '../../testing/running-service.ts';

const PASSWORD = 'hunter2-and-more';
const limit: Drift = { component: 'app', field: 'limits.memory', declared: 64, actual: 128 };
const gone: Drift = { component: 'db', field: 'component', declared: 'running', actual: null };

onBothEngines((engine) => {
  let service: RunningService;
  let number = 0;
  beforeAll(async () => {
    service = await startApp(engine);
  });

  /** Deploys a definition and runs it. */
  async function deployInstance(more: { heal?: boolean } = {}) {
    const { client } = service;
    const { data: server } = await client.call('servers.register', { body: { name: 'bed', environment: 'staging' } });
    const uid = `drift-${++number}`;
    const inputs = { WEB_HOSTNAME: `${uid}.example.org`, SMTP_PASSWORD: PASSWORD };
    const body = { species: 'inkwell', instance_uid: uid, server_id: server.id, inputs, ...more };
    const { data: definition } = await client.call('definitions.create', { body });
    const definition_id = definition.id;
    const { data } = await client.call('deployments.execute', { body: { definition_id } });
    const id = (await succeed(data.id)).instance_id ?? '';
    const read = async () => (await client.call('instances.read', { params: { id } })).data;
    const report = async (drift: Drift[]) =>
      (await service.request('POST', `/instances/${id}/drift`, { key: server.api_key, body: { drift } })).json;
    const heals = async () =>
      (await client.call('deployments.list', { query: { definition_id } })).data.filter(({ kind }) => kind === 'heal');
    return { id, definition_id, server, read, report, heals };
  }

  async function succeed(id: string) {
    const images = [{ component: 'app', image: 'inkwell:1', digest: `sha256:${'1'.repeat(64)}` }];
    const body = { deployment_id: id, status: 'success' as const, images };
    return (await service.client.call('deployments.report', { body })).data;
  }

  const eventsOf = async (id: string) =>
    (await service.eventsOf(id)).map(({ type }) => type).filter((type) => type.startsWith('audit.drift'));

  describe('drift', () => {
    it('is in the record from the first report to the empty one, and audited when it appears and disappears', async () => {
      const { id, read, report } = await deployInstance();
      expect(await read()).toMatchObject({ drift: [], drifted_at: null });
      expect((await report([limit])).data).toMatchObject({ id, drift: [limit], drifted_at: expect.any(String) });
      const { drifted_at, updated_at } = await read();
      await report([limit]);
      expect(await read()).toMatchObject({ drifted_at, updated_at });
      await report([limit, gone]);
      expect(await read()).toMatchObject({ drift: [limit, gone], drifted_at });
      await report([]);
      expect(await read()).toMatchObject({ drift: [], drifted_at: null });
      await report([]);
      expect(await eventsOf(id)).toEqual(['audit.drift_found', 'audit.drift_cleared']);
    });

    it('never contains a secret, from any reporter', async () => {
      const { id, read, report } = await deployInstance();
      const leak = { declared: `--password=${PASSWORD}`, actual: ['a', { deep: [PASSWORD] }], component: 'app' };
      await report([{ field: `env.${PASSWORD}`, ...leak }]);
      expect((await read()).drift).toEqual([
        { field: 'env.***', declared: '--password=***', actual: ['a', { deep: ['***'] }], component: 'app' },
      ]);
      const reported = await service.eventsOf(id);
      expect(reported.length).toBeGreaterThan(0);
      expect(JSON.stringify(reported)).not.toContain(PASSWORD);
    });

    it('is refused from another server, for a released instance, and without its fields', async () => {
      const { id } = await deployInstance();
      const other = await deployInstance();
      const key = other.server.api_key;
      const path = `/instances/${id}/drift`;
      expect((await service.request('POST', path, { key, body: { drift: [] } })).status).toBe(404);
      const incomplete = { drift: [{ field: 'x', declared: 1 }] };
      expectRefusal(await service.request('POST', path, { body: incomplete }), 'VALIDATION_ERROR', 'drift');
      await service.database.db
        .updateTable('instances')
        .set({ status: 'released' } as never)
        .where('id', '=', id)
        .execute();
      expectRefusal(await service.request('POST', path, { body: { drift: [limit] } }), 'VALIDATION_ERROR', 'status');
    });
  });

  describe('healing', () => {
    it('deploys the running revision with its digests, and nothing newer', async () => {
      const { definition_id, read, report, heals } = await deployInstance({ heal: true });
      const params = { id: definition_id };
      await service.client.call('definitions.update', { params, body: { inputs: { SITE_TITLE: 'Newer' } } });
      await report([limit]);
      await until(async () => (await heals()).length > 0, { describe: 'the healing' });
      const [heal] = await heals();
      expect(heal).toMatchObject({ kind: 'heal', revision: 1, status: 'pending', created_by: null, rollback_of: null });
      expect(heal?.images).toMatchObject([{ component: 'app', digest: `sha256:${'1'.repeat(64)}` }]);
      await succeed(heal?.id ?? '');
      await report([]);
      expect(await read()).toMatchObject({ revision: 1, drift: [] });
      const { data } = await service.client.call('definitions.read', { params });
      expect(data).toMatchObject({ current_revision: 2, heal: true });
    });

    it('is skipped with heal off, and done when it is switched on', async () => {
      const { id, definition_id, report, heals } = await deployInstance();
      await report([limit]);
      const jobs = service.database.db.selectFrom('jobs').select('id').where('key', '=', id);
      expect(await jobs.execute()).toEqual([]);
      expect(await heals()).toEqual([]);
      await service.client.call('definitions.update', { params: { id: definition_id }, body: { heal: true } });
      await until(async () => (await heals()).length > 0, { describe: 'the healing' });
    });

    it('happens once, and the next one waits, in case something keeps changing the instance', async () => {
      const { id, report, heals } = await deployInstance({ heal: true });
      await report([limit]);
      await until(async () => (await heals()).length > 0, { describe: 'the healing' });
      await succeed((await heals())[0]?.id ?? '');
      await report([]);
      await report([limit]);
      const { run_at, healed_at } = await service.database.db
        .selectFrom('jobs')
        .innerJoin('instances', 'instances.id', 'jobs.key')
        .select(['jobs.run_at', 'instances.healed_at'])
        .where('jobs.key', '=', id)
        .executeTakeFirstOrThrow();
      expect(run_at - (healed_at ?? 0)).toBe(60_000);
      expect(await heals()).toHaveLength(1);
    });

    it('does not start an instance that a user stopped', async () => {
      const { id, definition_id, report, heals } = await deployInstance({ heal: true });
      await service.client.call('instances.report', { body: { instances: [{ definition_id, status: 'stopped' }] } });
      await report([gone]);
      const polled = async () => {
        const row = await service.database.db
          .selectFrom('jobs')
          .select(['run_at', 'created_at', 'lease_owner'])
          .where('key', '=', id)
          .executeTakeFirstOrThrow();
        return row.lease_owner === null && row.run_at > row.created_at + 30_000;
      };
      await until(polled, { describe: 'the job to have run' });
      expect(await heals()).toEqual([]);
    });
  });
});
