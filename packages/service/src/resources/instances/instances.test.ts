import type { InstanceSort } from '@hortus/contract/records/instance-sorts';
import { describe, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { daemonOf, keyOf, openInstanceServices } from './testing/instance-services.ts';

onBothEngines((engine) => {
  it('instances are listed by server, definition, status and health, without released ones by default', async () => {
    const { running, pending, addServer, instances, principal, storage, report } = await openInstanceServices(engine);
    const elsewhere = await addServer();
    const [item, far, gone, waiting] = [await running(), await running(elsewhere), await running(), await pending()];
    await storage.write((tx) => instances.settled(tx, gone.id, 'hortus.release', null));
    await report([{ definition_id: item.definitionId, status: 'running', health: 'unhealthy' }]);
    const { accountId } = principal;
    const ids = async (filter: object) =>
      (await instances.list({ accountId, ...filter }, {})).data.map(({ id }) => id).sort();
    expect(await ids({})).toEqual([item.id, far.id, waiting.id].sort());
    expect(await ids({ serverId: elsewhere })).toEqual([far.id]);
    expect(await ids({ definitionId: item.definitionId })).toEqual([item.id]);
    expect(await ids({ status: 'released' })).toEqual([gone.id]);
    expect(await ids({ health: 'unhealthy' })).toEqual([item.id]);
    expect(await ids({ accountId: 'acc_other' })).toEqual([]);
    const { pagination } = await instances.list({ accountId }, { page: 2, per_page: 2 });
    expect(pagination).toEqual({ page: 2, per_page: 2, total: 3, total_pages: 2 });
  });

  it('instances are found by a part of their name in any case, in which % and _ are letters', async () => {
    const { running, read, instances, principal } = await openInstanceServices(engine);
    const [item, two] = [await running(), await running()];
    const { instance_uid: uid } = await read(item.id);
    const found = async (q: string) =>
      (await instances.list({ accountId: principal.accountId, q }, {})).data.map(({ id }) => id);
    expect(await found(uid.toUpperCase())).toEqual([item.id]);
    expect((await found('blog-')).sort()).toEqual([item.id, two.id].sort());
    for (const q of ['%', '_', '\\', "'"]) expect(await found(q), q).toEqual([]);
    const { pagination } = await instances.list({ accountId: principal.accountId, q: uid }, {});
    expect(pagination.total).toBe(1);
  });

  it('instances are sorted by name, by urgency and by their start, in both directions', async () => {
    const { running, pending, instances, principal, report, read } = await openInstanceServices(engine);
    const [sick, well, waiting] = [await running(), await running(), await pending()];
    await report([{ definition_id: sick.definitionId, status: 'running', health: 'unhealthy' }]);
    const sorted = async (sort: InstanceSort) =>
      (await instances.list({ accountId: principal.accountId }, {}, sort)).data.map(({ id }) => id);
    expect(await sorted('status')).toEqual([sick.id, waiting.id, well.id]);
    expect(await sorted('-status')).toEqual([well.id, waiting.id, sick.id]);
    expect((await sorted('started_at')).at(-1)).toBe(waiting.id);
    const names = await Promise.all((await sorted('name')).map(async (id) => (await read(id)).name));
    expect(names).toEqual([...names].sort());
    expect(await sorted('-name')).toEqual((await sorted('name')).reverse());
  });

  it('instances are counted by state', async () => {
    const { running, pending, instances, principal, storage, report } = await openInstanceServices(engine);
    const [item, two, gone] = [await running(), await running(), await running()];
    await pending();
    await storage.write((tx) => instances.settled(tx, gone.id, 'hortus.release', null));
    await report([
      { definition_id: item.definitionId, status: 'running', health: 'unhealthy' },
      { definition_id: two.definitionId, status: 'failed' },
    ]);
    expect(await instances.stats(principal.accountId)).toMatchObject({
      total: 3,
      running: 1,
      failures: 2,
      by_status: { running: 1, failed: 1, pending: 1, released: 1, lost: 0 },
      by_health: { unhealthy: 1, unknown: 2, healthy: 0 },
    });
  });

  it('statistics of more than 10,000 instances are at most 10 seconds old', async () => {
    const { running, instances, principal, storage, clock } = await openInstanceServices(engine);
    const { id } = await running();
    let number = 0;
    const add = (more: number) =>
      storage.write(async (tx) => {
        const row = await tx.db.selectFrom('instances').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
        const released = () => ({ ...row, id: `ins_${++number}`, status: 'released' as never });
        await tx.db
          .insertInto('instances')
          .values(Array.from({ length: more }, released))
          .execute();
      });
    const counted = async () => (await instances.stats(principal.accountId)).by_status.released;
    for (const more of [499, ...Array.from({ length: 19 }, () => 500)]) await add(more);
    expect(await counted()).toBe(9_999);
    await add(1);
    expect(await counted()).toBe(10_000);
    await add(1);
    expect(await counted()).toBe(10_000);
    clock.now += 10_000;
    expect(await counted()).toBe(10_001);
  });

  it('an instance is shown with its names, template and uptime, only to its account', async () => {
    const { running, read, clock, instances, principal, serverId, addServer } = await openInstanceServices(engine);
    const { id, definitionId } = await running();
    clock.now += 61_500;
    expect(await read(id)).toMatchObject({
      definition_id: definitionId,
      server_id: serverId,
      species: 'inkwell',
      instance_uid: expect.stringMatching(/^blog-/),
      status: 'running',
      health: 'healthy',
      revision: 1,
      url: 'https://blog.example.org',
      uptime_seconds: 61,
    });
    const { accountId } = principal;
    expect((await instances.read(daemonOf(accountId, serverId), id)).id).toBe(id);
    for (const outsider of [keyOf('acc_other'), daemonOf(accountId, await addServer())])
      await expect(instances.read(outsider, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('a definition has one instance until released, even under concurrent requests', async () => {
    const { pending, storage, instances, serverId } = await openInstanceServices(engine);
    const { id, account_id: accountId, definition_id: definitionId } = await pending();
    const ensure = () =>
      storage.write((tx) => instances.ensure(tx, { accountId, definitionId, serverId, containerName: 'blog-1' }));
    for (const again of await Promise.all([ensure(), ensure(), ensure()])) expect(again.id).toBe(id);
    await storage.write((tx) => instances.settled(tx, id, 'hortus.release', null));
    const created = await Promise.all([ensure(), ensure(), ensure()]);
    expect(new Set(created.map((item) => item.id)).size).toBe(1);
    expect(created[0]?.id).not.toBe(id);
  });

  it('a deployed instance emits a start event, unless it ran before', async () => {
    const { running, storage, instances, events, read } = await openInstanceServices(engine);
    const { id } = await running();
    const facts = { container_id: 'c2', status: 'running', health: 'healthy', started_at: 7 } as const;
    await storage.write((tx) => instances.deployed(tx, id, { revision: 1, url: null, ...facts }));
    expect(await read(id)).toMatchObject({ container_id: 'c2', url: null, status: 'running' });
    expect(await events(id)).toHaveLength(1);
    await storage.write((tx) => instances.settled(tx, id, 'hortus.release', null));
    await storage.write((tx) => instances.deployed(tx, id, { revision: 1, url: null, ...facts }));
    expect((await read(id)).status).toBe('released');
  });

  describe('the components of an instance', () => {
    it('are known from the end of its deployment on, and stay if a later one does not say them', async () => {
      const { running, storage, instances, read } = await openInstanceServices(engine);
      const { id } = await running();
      const part = { name: 'main', status: 'running', container_id: 'c9' } as const;
      const ended = { revision: 1, url: null, status: 'running' } as const;
      const stored = [{ ...part, health: 'unknown', image: null }];
      // A name that is reported twice must not prevent the end of the deployment.
      await storage.write((tx) => instances.deployed(tx, id, { ...ended, components: [part, part] }));
      expect((await read(id)).components).toEqual(stored);
      await storage.write((tx) => instances.deployed(tx, id, ended));
      expect((await read(id)).components).toEqual(stored);
    });

    it('are replaced as a whole, by the daemon of the server', async () => {
      const { running, storage, instances, daemon, read, principal, addServer } = await openInstanceServices(engine);
      const { id } = await running();
      const sync = (components: Parameters<typeof instances.syncComponents>[3], by = daemon) =>
        storage.write((tx) => instances.syncComponents(tx, by, id, components));
      await sync([
        { name: 'app', status: 'running', health: 'healthy', container_id: 'c1', image: 'inkwell:1' },
        { name: 'db', status: 'running' },
      ]);
      expect((await read(id)).components).toEqual([
        { name: 'app', status: 'running', health: 'healthy', container_id: 'c1', image: 'inkwell:1' },
        { name: 'db', status: 'running', health: 'unknown', container_id: null, image: null },
      ]);
      expect((await sync([{ name: 'app', status: 'stopped' }])).components).toHaveLength(1);
      const twice = [1, 2].map(() => ({ name: 'app', status: 'running' as const }));
      await expect(sync(twice)).rejects.toMatchObject({ details: { field: 'components' } });
      const outsider = daemonOf(principal.accountId, await addServer());
      await expect(sync([], outsider)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await storage.write((tx) => instances.settled(tx, id, 'hortus.release', null));
      await expect(sync([])).rejects.toMatchObject({ details: { reason: 'state', status: 'released' } });
    });
  });
});
