import { createClient } from '@hortus/client/client';
import { beforeAll, expect, it } from 'vitest';
import { newId } from '../records/ids.ts';
import { MAX_QUEUE_LENGTH } from '../resources/actions/orders.ts';
import { removeOutputs } from '../resources/actions/retention.ts';
import { MAX_PER_HOUR } from '../resources/actions/scheduled.ts';
import { removeLogLines } from '../resources/deployments/retention.ts';
import { onBothEngines } from '../testing/engines.ts';
import { expectRefusal } from '../testing/published-response.ts';
import { type RunningService, startApp } from '../testing/running-service.ts';
import { readQuotas } from './limits.ts';

const LIMIT = 20_000;

onBothEngines((engine) => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startApp(engine, { quotas: readQuotas(`enterprise.output_bytes=${LIMIT}`) });
  });

  async function deployInstance() {
    const { client, base } = service;
    const { data: server } = await client.call('servers.register', {
      body: { name: 'server-1', environment: 'staging' },
    });
    const inputs = { WEB_HOSTNAME: `${newId('definition').slice(4)}.example.org` };
    const instance_uid = newId('definition').replace('def_', 'blog-');
    const { data: definition } = await client.call('definitions.create', {
      body: { species: 'inkwell', instance_uid, server_id: server.id, inputs },
    });
    const { data: ordered } = await client.call('deployments.execute', { body: { definition_id: definition.id } });
    const daemon = createClient({ baseUrl: base, key: server.api_key, retries: { attempts: 1 } });
    const { data: ended } = await daemon.call('deployments.report', {
      body: {
        deployment_id: ordered.id,
        status: 'success',
        logs: [{ at: 1, level: 'info', message: 'l'.repeat(3_000) }],
      },
    });
    const run = async (output: string) => {
      const id = newId('execution');
      const body = { execution_id: id, definition_id: definition.id, component: 'tidy', status: 'completed' as const };
      const times = { due_at: Date.now(), started_at: Date.now() };
      await daemon.call('actions.reportScheduled', { body: { ...body, ...times, output } });
      return id;
    };
    const read = async (id: string) => (await client.call('actions.read', { params: { execution_id: id } })).execution;
    const log = async () => (await client.call('deployments.read', { params: { id: ordered.id } })).data;
    return { daemon, run, read, log, key: server.api_key, definition, instanceId: ended.instance_id ?? '' };
  }
  const used = async () => (await service.request('GET', '/account')).json.data.quotas.output_bytes;
  const kept = async () => {
    const { db } = service.database;
    const outputs = await db.selectFrom('executions').select('output').where('output', 'is not', null).execute();
    const lines = await db.selectFrom('deployment_logs').select('message').execute();
    return [...outputs.map(({ output }) => output ?? ''), ...lines.map(({ message }) => message)].join('').length;
  };

  it('outputs of scheduled runs are limited: the oldest are dropped, and their records say so', async () => {
    const { run, read } = await deployInstance();
    const ids: string[] = [];
    for (let i = 0; i < 30; i++) ids.push(await run('o'.repeat(2_000)));
    const { used: bytes, limit } = await used();
    expect(limit).toBe(LIMIT);
    expect(bytes).toBeLessThanOrEqual(LIMIT);
    expect(await kept()).toBe(bytes);
    expect(await read(ids[0] as string)).toMatchObject({ status: 'completed', output: null, output_dropped: true });
    expect(await read(ids[29] as string)).toMatchObject({ output: 'o'.repeat(2_000), output_dropped: false });
  });

  it('if only logs are left, those of the oldest deployments are dropped, and their records say so', async () => {
    const first = await deployInstance();
    const id = await first.run('older than the newer logs');
    const others: Awaited<ReturnType<typeof deployInstance>>[] = [];
    for (let i = 0; i * 3_000 <= LIMIT; i++) others.push(await deployInstance());
    expect(await first.read(id)).toMatchObject({ output: null, output_dropped: true });
    expect(await first.log()).toMatchObject({ status: 'success', log_dropped: true, logs: [] });
    expect(await others.at(-1)?.log()).toMatchObject({ log_dropped: false, logs: [{ message: 'l'.repeat(3_000) }] });
    const { used: bytes } = await used();
    expect(bytes).toBeLessThanOrEqual(LIMIT);
    expect(await kept()).toBe(bytes);
  });

  it('output removed by retention no longer counts, and the records say that it was dropped', async () => {
    const { run, read, log } = await deployInstance();
    const id = await run('a line');
    const before = Date.now() + 1_000;
    for (const remove of [removeOutputs, removeLogLines]) while ((await remove(service.database, before, 500)) > 0);
    expect(await kept()).toBe(0);
    expect(await used()).toMatchObject({ used: 0 });
    expect(await read(id)).toMatchObject({ output: null, output_dropped: true });
    expect(await log()).toMatchObject({ log_dropped: true, logs: [] });
  });

  it('scheduled runs of an instance beyond the hourly limit are refused, but repeated reports are not', async () => {
    const { daemon, run, definition, instanceId } = await deployInstance();
    const { db } = service.database;
    const id = await run('first');
    const row = await db.selectFrom('executions').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const others = Array.from({ length: MAX_PER_HOUR - 1 }, () => ({ ...row, id: newId('execution') }));
    await db
      .insertInto('executions')
      .values(others as never)
      .execute();
    const times = { due_at: Date.now(), started_at: Date.now() };
    const body = { definition_id: definition.id, component: 'tidy', status: 'completed' as const, ...times };
    await expect(run('one more')).rejects.toMatchObject({ status: 422, details: { reason: 'too_many_runs' } });
    const { execution } = await daemon.call('actions.reportScheduled', { body: { ...body, execution_id: id } });
    expect(execution).toMatchObject({ id, output: 'first' });
    await db
      .updateTable('executions')
      .set({ finished_at: Date.now() - 3_600_000 } as never)
      .where('instance_id', '=', instanceId)
      .execute();
    await run('in the next hour');
  });

  it('another action is refused while a hundred of the instance are unfinished', async () => {
    const { instanceId } = await deployInstance();
    const { actions } = await service.client.call('actions.list', { params: { id: instanceId } });
    const [action] = actions.filter(({ params }) => params.every((param) => !param.required));
    const path = `/instances/${instanceId}/actions/${action?.slug}/execute`;
    const order = () => service.request('POST', path, { body: { params: {} } });
    for (let i = 0; i < MAX_QUEUE_LENGTH; i++) expect((await order()).status).toBe(202);
    const refused = await order();
    expectRefusal(refused, 'VALIDATION_ERROR', 'id');
    expect(refused.json.error.details).toMatchObject({ reason: 'queue_full', limit: MAX_QUEUE_LENGTH });
  });

  it('an address from a daemon that is not http or https is refused', async () => {
    const { key, definition } = await deployInstance();
    const report = (url: string) => {
      const instances = [{ definition_id: definition.id, status: 'running', url }];
      return service.request('POST', '/instances/report', { key, body: { instances } });
    };
    for (const url of [
      'javascript:alert(1)',
      'JAVASCRIPT://x',
      'data:text/html,x',
      'vbscript:x',
      ' https://x',
      '//x',
      '',
    ])
      expect((await report(url)).status, url).toBe(422);
    for (const url of ['https://blog.example.org', 'HTTP://10.0.0.1:8080/x'])
      expect((await report(url)).status, url).toBe(200);
  });
});
