import { until } from '@hortus/testkit/until';
import { beforeAll, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { type RunningService, startApp } from '../../testing/running-service.ts';

onBothEngines((engine) => {
  let service: RunningService;
  let server: { id: string; api_key: string };
  let number = 0;

  beforeAll(async () => {
    service = await startApp(engine);
    const body = { name: 'server-1', environment: 'staging' } as const;
    server = (await service.client.call('servers.register', { body })).data;
  });

  async function createDefinition(species: string, inputs: Record<string, string>) {
    const body = { species, instance_uid: `blog-${++number}`, server_id: server.id, inputs };
    const { id } = (await service.client.call('definitions.create', { body })).data;
    return {
      id,
      /** Environment of a component as its daemon gets it. */
      env: async (component: string) => {
        const { json } = await service.request('GET', `/manifest?definition_id=${id}`, { key: server.api_key });
        return json.data.components.find(({ name }: { name: string }) => name === component).env;
      },
      set: (name: string, value: string) =>
        service.request('PUT', `/vault/definitions/${id}/secrets/${name}`, { body: { value } }),
      rotate: (name: string) => service.request('POST', `/vault/definitions/${id}/secrets/${name}/rotate`),
      accesses: async (expected: number) => {
        const list = async () => (await service.request('GET', `/vault/access?definition_id=${id}`)).json.data;
        await until(async () => (await list()).length === expected, { describe: `${expected} accesses` });
        return list();
      },
    };
  }

  it('an external secret and a password input can be set, each with a new revision', async () => {
    const courier = await createDefinition('courier', { API_TOKEN: 'first-token' });
    const { status, json } = await courier.set('API_TOKEN', 'second-token');
    expect(status).toBe(200);
    expect(json.data).toMatchObject({
      definition_id: courier.id,
      revision: 2,
      secrets: [{ name: 'API_TOKEN', kind: 'external', set: true }],
    });
    expect(JSON.stringify(json)).not.toContain('second-token');
    expect((await courier.env('main')).API_TOKEN).toBe('second-token');

    const blog = await createDefinition('inkwell', { WEB_HOSTNAME: 'blog.example.org' });
    expect((await blog.set('SMTP_PASSWORD', 'a new password')).json.data.revision).toBe(2);
    expect((await blog.env('app')).SMTP_PASSWORD).toBe('a new password');
  });

  it('a generated secret is shown on request, which is recorded; a given one is not', async () => {
    const blog = await createDefinition('inkwell', {
      WEB_HOSTNAME: 'blog.example.org',
      SMTP_PASSWORD: 'given by a user',
    });
    const reveal = (name: string, options = {}) =>
      service.request('POST', `/vault/definitions/${blog.id}/secrets/${name}/reveal`, options);
    const { status, json } = await reveal('SESSION_KEY');
    expect(status).toBe(200);
    expect(json.data).toEqual({ name: 'SESSION_KEY', value: (await blog.env('app')).SESSION_KEY });
    const accesses = await blog.accesses(2);
    expect(accesses.find(({ access }: { access: string }) => access === 'revealed')).toMatchObject({
      secrets: ['SESSION_KEY'],
      revision: 1,
    });
    const events = await service.request('GET', `/events?resource_id=${blog.id}`);
    expect(JSON.stringify(events.json)).not.toContain(json.data.value);
    expectRefusal(await reveal('SMTP_PASSWORD'), 'VALIDATION_ERROR', 'name');
    expectRefusal(await reveal('NO_SUCH_SECRET'), 'NOT_FOUND');
    const key = await service.client.call('keys.create', { body: { name: 'reader', permissions: ['secrets:read'] } });
    expectRefusal(await reveal('SESSION_KEY', { key: key.data.key }), 'FORBIDDEN');
  });

  it('rotating a generated secret changes its value, creates a revision that names it, and leaves the rest untouched', async () => {
    const { id, env, rotate } = await createDefinition('inkwell', { WEB_HOSTNAME: 'blog.example.org' });
    const before = await env('app');
    const { status, json } = await rotate('SESSION_KEY');
    expect([status, json.data.revision]).toEqual([200, 2]);
    expect(json.data.secrets.map(({ name }: { name: string }) => name)).toEqual(['SESSION_KEY']);
    const after = await env('app');
    expect(after.SESSION_KEY).not.toBe(before.SESSION_KEY);
    expect({ ...after, SESSION_KEY: before.SESSION_KEY }).toEqual(before);
    const [revision] = (await service.request('GET', `/definitions/${id}/revisions`)).json.data;
    expect(revision).toMatchObject({ number: 2, changes: [{ field: 'secrets.SESSION_KEY', change: 'changed' }] });
  });

  it('concurrent rotations leave the vault and the revisions consistent', async () => {
    const { id, rotate } = await createDefinition('inkwell', { WEB_HOSTNAME: 'blog.example.org' });
    const responses = await Promise.all([1, 2, 3].map(() => rotate('DB_PASSWORD')));
    const done = responses.filter(({ status }) => status === 200).length;
    expect(done).toBeGreaterThan(0);
    for (const { status, json } of responses) if (status !== 200) expect(json.error.details.reason).toBe('stale');
    const { json } = await service.request('GET', `/definitions/${id}`);
    expect(json.data.current_revision).toBe(1 + done);
  });

  it('secrets that cannot be set or rotated are refused with the reason', async () => {
    const { set, rotate } = await createDefinition('inkwell', { WEB_HOSTNAME: 'blog.example.org' });
    expectRefusal(await set('DB_PASSWORD', 'mine'), 'VALIDATION_ERROR', 'name');
    for (const name of ['NOTHING', 'WEB_HOSTNAME', 'constructor']) {
      expectRefusal(await set(name, 'mine'), 'NOT_FOUND');
      expectRefusal(await rotate(name), 'NOT_FOUND');
    }
    const courier = await createDefinition('courier', { API_TOKEN: 'first-token' });
    expectRefusal(await courier.rotate('API_TOKEN'), 'VALIDATION_ERROR', 'name');
  });

  it('reads and changes of secrets are listed with the user, and never with a value', async () => {
    const { id, env, set, rotate, accesses } = await createDefinition('courier', { API_TOKEN: 'first-token' });
    await env('main');
    await set('API_TOKEN', 'second-token');
    expectRefusal(await rotate('API_TOKEN'), 'VALIDATION_ERROR', 'name');
    const list = await accesses(2);
    expect(list).toMatchObject([
      { access: 'set', definition_id: id, secrets: ['API_TOKEN'], revision: 2, actor: expect.stringMatching(/^key_/) },
      { access: 'read', definition_id: id, secrets: [], revision: 1, actor: server.id },
    ]);
    expect(JSON.stringify(list)).not.toContain('token"');
    const { json } = await service.request('GET', `/vault/access?definition_id=${id}&access=read`);
    expect(json.pagination.total).toBe(1);
  });
});
