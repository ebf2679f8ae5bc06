import { until } from '@hortus/testkit/until';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { onDifferingEngines } from '../testing/engines.ts';
import { expectRefusal } from '../testing/published-response.ts';
import { type Caller, type RunningService, startApp } from '../testing/running-service.ts';
import { defaultQuotas, readQuotas, showQuotas } from './limits.ts';

it('limits are configured by plan and name; omitted ones keep their default', () => {
  const limits = readQuotas('free.servers=1, pro.output_bytes=5000000000');
  expect(limits.free).toEqual({ ...defaultQuotas.free, servers: 1 });
  expect(limits.pro.output_bytes).toBe(5_000_000_000);
  expect(readQuotas(showQuotas(limits))).toEqual(limits);
  for (const wrong of ['servers=1', 'free.sheds=1', 'gold.servers=1', 'free.servers=-1', 'free.servers=many'])
    expect(() => readQuotas(wrong)).toThrow('must look like');
});

onDifferingEngines('concurrent transactions that count', (engine) => {
  let service: RunningService;
  let account: Caller;
  beforeAll(async () => {
    service = await startApp(engine, {
      quotas: readQuotas('pro.servers=2,pro.definitions=3,pro.keys=4,pro.webhooks=1,pro.templates=1'),
    });
  });
  beforeEach(async () => {
    account = await service.addAccount();
  });

  const register = () =>
    account.request('POST', '/servers/register', { body: { name: 'server-1', environment: 'staging' } });
  const create = (server_id: string, instance_uid: string) =>
    account.request('POST', '/definitions', { body: { species: 'seed', instance_uid, server_id, inputs: {} } });
  const quotas = async () => (await account.request('GET', '/account')).json.data.quotas;
  const good = (responses: readonly { status: number }[]) => responses.filter(({ status }) => status === 201).length;

  it('fifty concurrent creations cannot exceed a limit, and the error names limit and usage', async () => {
    const servers = await Promise.all(Array.from({ length: 50 }, register));
    expect(good(servers)).toBe(2);
    const refused = servers.find(({ status }) => status !== 201);
    expectRefusal(refused as never, 'VALIDATION_ERROR', 'servers');
    expect(refused?.json.error.details).toMatchObject({ reason: 'quota', limit: 2, used: 2 });

    const server_id = servers.find(({ status }) => status === 201)?.json.data.id;
    const definitions = await Promise.all(Array.from({ length: 50 }, (_, i) => create(server_id, `seed-${i}`)));
    expect(good(definitions)).toBe(3);
    expect(await quotas()).toMatchObject({ servers: { used: 2, limit: 2 }, definitions: { used: 3, limit: 3 } });
  });

  it('archived definitions do not count, and activating one is checked against the limit', async () => {
    const server_id = (await register()).json.data.id;
    const ids: string[] = [];
    for (const uid of ['a1', 'a2', 'a3']) ids.push((await create(server_id, uid)).json.data.id);
    await account.request('DELETE', `/definitions/${ids[0]}`);
    expect((await create(server_id, 'a4')).status).toBe(201);
    expectRefusal(await account.request('POST', `/definitions/${ids[0]}/activate`), 'VALIDATION_ERROR', 'definitions');
  });

  it('a garden run cannot create more than the plan allows', async () => {
    const server_id = (await register()).json.data.id;
    expect((await create(server_id, 'a1')).status).toBe(201);
    const uids = ['a2', 'a3', 'a4', 'a5'];
    const definitions = Object.fromEntries(uids.map((uid) => [uid, { species: 'seed', server: server_id }]));
    const { json } = await account.request('POST', '/gardens/apply', {
      body: { garden: { name: 'home', definitions } },
    });
    const run = await until(
      async () => {
        const { data } = await account.client.call('gardens.run', { params: { id: json.data.id } });
        return data.changes.filter(({ state }) => state === 'failed').length === 2 && data;
      },
      { describe: 'the refused changes' },
    );
    for (const { error } of run.changes.filter(({ state }) => state === 'failed'))
      expect(error).toMatch(/^definitions: the plan pro allows 3/);
    expect(await quotas()).toMatchObject({ definitions: { used: 3, limit: 3 } });
  });

  it('concurrent imports cannot create more than the plan allows', async () => {
    const server_id = (await register()).json.data.id;
    const { id } = (await create(server_id, 'a1')).json.data;
    const { bundle } = (await account.client.call('definitions.export', { params: { id }, body: {} })).data;
    const ordered = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        account.request('POST', '/definitions/import', { body: { bundle, server_id, instance_uid: `copy-${n}` } }),
      ),
    );
    const begun = ordered.flatMap(({ json }) => json.data?.id ?? []);
    expect(begun.length).toBeGreaterThan(0);
    for (const { status, json } of ordered) if (status !== 202) expect(json.error.details.reason).toBe('quota');
    await until(
      async () => (await account.client.call('imports.list', {})).data.every(({ status }) => status !== 'receiving'),
      { describe: 'the end of the imports' },
    );
    const { data } = await account.client.call('imports.list', {});
    for (const { status, reason } of data) if (status === 'failed') expect(reason).toBe('quota');
    expect(await quotas()).toMatchObject({ definitions: { used: 3, limit: 3 } });
  });

  it('keys and webhooks have limits too; a revoked key does not count', async () => {
    const key = () =>
      account.request('POST', '/account/keys', { body: { name: 'k', permissions: ['templates:read'] } });
    const made = [await key(), await key(), await key(), await key()];
    expect(good(made)).toBe(3);
    expectRefusal(made[3] as never, 'VALIDATION_ERROR', 'keys');
    await account.request('DELETE', `/account/keys/${made[0]?.json.data.id}`);
    expect((await key()).status).toBe(201);

    const hook = () =>
      account.request('POST', '/webhooks', {
        body: {
          url: 'http://127.0.0.1:9/hook',
          events: ['deployment.failed'],
          secret: 'a-secret-of-some-length-32-chars',
        },
      });
    const hooks = [await hook(), await hook()];
    expect(hooks[0]?.status).toBe(201);
    expectRefusal(hooks[1] as never, 'VALIDATION_ERROR', 'webhooks');
  });

  it('private templates beyond the limit are refused; replacing a draft does not count', async () => {
    const draft = (slug: string) => {
      const taxonomy = { kingdom: 'applications', family: 'website' };
      const image = { repository: 'docker.io/library/nginx', tag: '1.29.2' };
      const spec = { slug, name: 'Pond', version: '1.0.0', archetype: 'application', taxonomy, image };
      return account.request('POST', '/templates', { body: { spec } });
    };
    expect((await draft('pond')).status).toBe(201);
    expect((await draft('pond')).status).toBe(201);
    const refused = await draft('lake');
    expectRefusal(refused, 'VALIDATION_ERROR', 'templates');
    expect(refused.json.error.details).toMatchObject({ reason: 'quota', limit: 1, used: 1 });
    expect(await quotas()).toMatchObject({ templates: { used: 1, limit: 1 } });
  });

  it('every quota of the plan is shown with its usage', async () => {
    expect(Object.keys(await quotas()).sort()).toEqual(Object.keys(defaultQuotas.free).sort());
  });
});
