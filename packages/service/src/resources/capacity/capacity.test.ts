import { expect, it } from 'vitest';
import { newId } from '../../records/ids.ts';
import { Pages } from '../../storage/page.ts';
import { insertRow } from '../../storage/status-columns.ts';
import { onBothEngines } from '../../testing/engines.ts';
import { insertAccount, serverRow } from '../../testing/rows.ts';
import { daemonOf, keyOf } from '../instances/testing/instance-services.ts';
import { Capacities } from './service.ts';

onBothEngines((engine) => {
  async function setUp() {
    const clock = { now: 1_800_000_000_000 };
    const storage = await engine.open({ clock: () => clock.now });
    const accountId = await insertAccount(storage);
    const addServer = async () => {
      const serverId = newId('server');
      const row = (tx: Parameters<typeof serverRow>[0]) => ({
        ...serverRow(tx, { accountId, serverId }),
        status: 'pending',
      });
      await storage.write((tx) => insertRow(tx, 'servers', row(tx)));
      return serverId;
    };
    const capacities = new Capacities({
      reader: storage.reader,
      pages: new Pages(),
      identify: async () => undefined,
      recordNetworks: async () => undefined,
      recordUsage: async () => undefined,
      clock: () => clock.now,
    });
    return { storage, accountId, principal: keyOf(accountId), addServer, capacities, clock };
  }
  const report = {
    memory: { used: 2_147_483_648, free: Number.MAX_SAFE_INTEGER },
    cpu: { cores: 2.5, used_percent: 12.5 },
    disk: { used: 0, free: 150_000_000_000 },
  };

  it('the capacity of a server is null before the first report, then the last report', async () => {
    const { storage, capacities, principal, addServer, clock } = await setUp();
    const id = await addServer();
    const nothing = { server_id: id, memory: null, cpu: null, disk: null, reported_at: null, age_seconds: null };
    expect(await capacities.read(principal, id)).toEqual(nothing);
    const reported = { server_id: id, ...report, reported_at: new Date(clock.now).toISOString(), age_seconds: 0 };
    expect(await storage.write((tx) => capacities.report(tx, principal, id, report))).toEqual(reported);
    clock.now += 1_000;
    const later = { ...report, cpu: { cores: 2.5, used_percent: 99.9 } };
    await storage.write((tx) => capacities.report(tx, principal, id, later));
    expect(await capacities.read(principal, id)).toMatchObject({
      ...later,
      reported_at: new Date(clock.now).toISOString(),
    });
  });

  it('capacity is listed for every server of the account, reported or not', async () => {
    const { storage, capacities, principal, addServer } = await setUp();
    const [silent, loud] = [await addServer(), await addServer()];
    await storage.write((tx) => capacities.report(tx, principal, loud, report));
    const { data, pagination } = await capacities.list(principal, { page: 1, per_page: 1 });
    expect(data).toMatchObject([{ server_id: loud, ...report }]);
    expect(pagination).toMatchObject({ total: 2, total_pages: 2 });
    const rest = await capacities.list(principal, { page: 2, per_page: 1 });
    expect(rest.data).toMatchObject([{ server_id: silent, reported_at: null }]);
    expect((await capacities.list(keyOf('acc_other'), {})).data).toEqual([]);
  });

  it('capacity has a history with the average and the maximum of each step', async () => {
    const { storage, capacities, principal, addServer, clock } = await setUp();
    const id = await addServer();
    const now = new Date(clock.now).toISOString();
    expect(await capacities.history(principal, id)).toMatchObject({ server_id: id, range: '1h', to: now, points: [] });
    const notify = (used_percent: number) =>
      storage.write((tx) => capacities.report(tx, principal, id, { ...report, cpu: { cores: 2, used_percent } }));
    await notify(10);
    clock.now += 30_000;
    await notify(40);
    clock.now += 60_000;
    await notify(70);
    const { memory, disk } = report;
    const rest = { memory: { ...memory, max_used: memory.used }, disk };
    const { points } = await capacities.history(principal, id);
    expect(points).toEqual([
      { at: now, cpu: { used_percent: 25, max_percent: 40 }, ...rest },
      { at: new Date(clock.now - 30_000).toISOString(), cpu: { used_percent: 70, max_percent: 70 }, ...rest },
    ]);
    for (const range of ['24h', '7d'] as const) {
      const coarse = await capacities.history(principal, id, range);
      expect(coarse.points.map(({ cpu }) => cpu)).toEqual([{ used_percent: 40, max_percent: 70 }]);
    }
    await expect(capacities.history(keyOf('acc_other'), id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('a capacity report records the usage of instances in the same transaction', async () => {
    const { storage, accountId, principal, addServer } = await setUp();
    const id = await addServer();
    const reported: unknown[] = [];
    const usage = [
      {
        instance_uid: 'blog',
        component: 'app',
        cpu_percent: 1,
        memory_bytes: 2,
        received_bytes_per_second: 3,
        sent_bytes_per_second: 4,
      },
    ];
    const capacities = new Capacities({
      reader: storage.reader,
      pages: new Pages(),
      identify: async () => undefined,
      recordNetworks: async () => undefined,
      recordUsage: async (_, ...args) => void reported.push(args),
    });
    await storage.write((tx) => capacities.report(tx, principal, id, { ...report, usage }));
    await storage.write((tx) => capacities.report(tx, daemonOf(accountId, id), id, report));
    expect(reported).toEqual([
      [id, usage],
      [id, []],
    ]);
  });

  it('capacity can be reported only by its own server and account', async () => {
    const { storage, capacities, accountId, addServer } = await setUp();
    const [own, other] = [await addServer(), await addServer()];
    const daemon = daemonOf(accountId, own);
    expect((await storage.write((tx) => capacities.report(tx, daemon, own, report))).server_id).toBe(own);
    for (const outsider of [daemonOf(accountId, other), keyOf('acc_other')]) {
      await expect(capacities.read(outsider, own)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      const reported = storage.write((tx) => capacities.report(tx, outsider, own, report));
      await expect(reported).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
  });
});
