import { beforeAll, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { aServer } from '../../testing/good-requests/servers.ts';
import { type RunningService, startApp } from '../../testing/running-service.ts';

onBothEngines((engine) => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startApp(engine);
  });

  let number = 0;
  const create = async (overrides: object) =>
    service.request('POST', '/definitions', {
      body: {
        species: 'inkwell',
        instance_uid: `blog-${++number}`,
        server_id: await aServer(service),
        inputs: { WEB_HOSTNAME: `blog-${number}.example.org` },
        overrides,
      },
    });
  const manifestOf = async (id: string) => {
    const { json } = await service.request('GET', `/manifest?definition_id=${id}`);
    return Object.fromEntries(json.data.components.map((component: { name: string }) => [component.name, component]));
  };

  it('a definition sets replicas and placement instead of its template, in its revision', async () => {
    const placement = { constraints: { disk: 'ssd' }, spread: 'zone' };
    const { json, status } = await create({ app: { replicas: 3, placement } });
    expect(status).toBe(201);
    const { id } = json.data;
    expect(json.data.overrides).toEqual({ app: { replicas: 3, placement } });
    expect((await manifestOf(id)).app).toMatchObject({ replicas: 3, placement });
    const path = `/definitions/${id}`;
    const changed = await service.request('PUT', path, {
      body: { overrides: { app: null, db: { on_node_loss: 'restore' } } },
    });
    expect(changed.json.data.overrides).toEqual({ db: { on_node_loss: 'restore' } });
    expect(await manifestOf(id)).toMatchObject({ app: { replicas: 1 }, db: { on_node_loss: 'restore' } });
    const [newest] = (await service.request('GET', `${path}/revisions`)).json.data;
    expect(newest.changes).toMatchObject([
      { field: 'overrides.app', change: 'removed' },
      { field: 'overrides.db', change: 'added' },
    ]);
    // Another change keeps them, and an earlier revision brings its own back.
    await service.request('PUT', path, { body: { name: 'Notes' } });
    expect((await service.request('GET', path)).json.data.overrides).toEqual({ db: { on_node_loss: 'restore' } });
    await service.request('POST', `${path}/revisions/1/restore`);
    expect((await manifestOf(id)).app).toMatchObject({ replicas: 3, placement });
  });

  it('a definition without overrides does not show any', async () => {
    const { json } = await create({});
    expect(json.data).not.toHaveProperty('overrides');
  });

  it.each([
    [{ nope: { replicas: 2 } }, 'overrides.nope'],
    [{ app: { replicas: 0 } }, 'overrides.app.replicas'],
    [{ app: { privileged: true } }, 'overrides.app.privileged'],
    [{ app: { placement: { constraints: { 'a==b': 'c' } } } }, 'overrides.app.placement.constraints.a==b'],
  ])('refuses %j', async (overrides, field) => {
    const { status, json } = await create(overrides);
    expect(status).toBe(422);
    expect(json.error.details.field).toBe(field);
  });
});
