import { beforeAll, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { type RunningService, startApp } from '../../testing/running-service.ts';

onBothEngines((engine) => {
  let service: RunningService;
  let server_id: string;
  let number = 0;

  beforeAll(async () => {
    service = await startApp(engine);
    const body = { name: 'server-1', environment: 'staging' } as const;
    server_id = (await service.client.call('servers.register', { body })).data.id;
  });

  const PASSWORD = 'hunter2-and-more';

  async function createDefinition() {
    const inputs = { WEB_HOSTNAME: 'blog.example.org', SMTP_PASSWORD: PASSWORD };
    const body = { species: 'inkwell', instance_uid: `blog-${++number}`, server_id, inputs };
    const { id } = (await service.request('POST', '/definitions', { body })).json.data;
    const path = `/definitions/${id}`;
    return {
      id: id as string,
      put: (change: object) => service.request('PUT', path, { body: change }),
      archive: (query = '') => service.request('DELETE', path + query),
      activate: () => service.request('POST', `${path}/activate`),
      restore: (revision: number) => service.request('POST', `${path}/revisions/${revision}/restore`),
      /** Set by a successful deployment. */
      succeed: () =>
        service.database.db.updateTable('definitions').set({ succeeded_at: 1 }).where('id', '=', id).execute(),
      /** In the order in which they happened. */
      events: () => service.eventsOf(id),
    };
  }

  it('a reactivated definition is pending if it never succeeded', async () => {
    const { archive, activate } = await createDefinition();
    expect((await archive()).json.data).toMatchObject({ status: 'archived', current_revision: 1 });
    const { status, json } = await activate();
    expect([status, json.data.status]).toEqual([200, 'pending']);
  });

  it('a reactivated definition is active if it ever succeeded', async () => {
    const { archive, activate, succeed } = await createDefinition();
    await succeed();
    expect((await archive()).json.data.status).toBe('archived');
    expect((await activate()).json.data.status).toBe('active');
    expect((await archive('?container=keep')).json.data.status).toBe('archived');
    expect((await activate()).json.data.status).toBe('active');
  });

  it('archiving twice and activating an unarchived definition are refused', async () => {
    const { archive, activate, events } = await createDefinition();
    const early = await activate();
    expectRefusal(early, 'VALIDATION_ERROR', 'status');
    expect(early.json.error.details).toMatchObject({ reason: 'state', status: 'pending' });
    await archive();
    expect(await archive()).toMatchObject({ status: 200, json: { data: { status: 'archived' } } });
    expect(await events()).toHaveLength(2);
    expectRefusal(await archive('?container=burn'), 'VALIDATION_ERROR', 'container');
  });

  it('concurrent requests archive a definition once, and all get 200', async () => {
    const { archive, events } = await createDefinition();
    const responses = await Promise.all([archive(), archive(), archive(), archive()]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200]);
    expect(await events()).toHaveLength(2);
  });

  it('a definition can be updated and restored in any state, and keeps the state', async () => {
    const { put, archive, activate, restore, succeed } = await createDefinition();
    expect((await put({ profile: 'minimal' })).json.data).toMatchObject({ status: 'pending', current_revision: 2 });
    await succeed();
    await archive();
    expect((await put({ profile: 'production' })).json.data).toMatchObject({ status: 'archived', current_revision: 3 });
    expect((await restore(1)).json.data).toMatchObject({ status: 'archived', current_revision: 1 });
    await activate();
    expect((await put({ profile: 'minimal' })).json.data).toMatchObject({ status: 'active', current_revision: 4 });
  });

  it('each transition emits one event, in order and without secrets', async () => {
    const { id, put, restore, archive, activate, events } = await createDefinition();
    await put({ name: 'Notes', inputs: { SMTP_PASSWORD: `${PASSWORD}-2` } });
    await put({ inputs: { WEB_HOSTNAME: 'not a host' } });
    await restore(1);
    await restore(77);
    await archive();
    await archive();
    await activate();
    const reported = await events();
    expect(reported.map(({ type, data }) => [type, data.status, data.current_revision])).toEqual([
      ['definition.created', 'pending', 1],
      ['definition.updated', 'pending', 2],
      ['definition.updated', 'pending', 1],
      ['definition.updated', 'archived', 1],
      ['definition.updated', 'pending', 1],
    ]);
    expect(reported[1]).toMatchObject({
      actor: expect.stringMatching(/^key_/),
      data: { definition_id: id, name: 'Notes' },
    });
    expect(JSON.stringify(reported)).not.toContain(PASSWORD);
  });
});
