import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DaemonUpdateOrder } from '@hortus/contract/resources/daemon-updates';
import { AGENT_RELEASE } from '@hortus/testkit/agent-folder';
import { until } from '@hortus/testkit/until';
import { UpdateDaemon } from '@hortus/testkit/update-daemon';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { defaultRetention } from '../../retention/periods.ts';
import { onBothEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { type Caller, type RunningService, startApp } from '../../testing/running-service.ts';
import { retentionRules } from '../../wiring/retention-rules.ts';
import { SILENCE_MS } from './decision.ts';
import { wakeUpdate } from './job.ts';

onBothEngines((engine) => {
  let installation: RunningService;
  let service: RunningService;
  beforeAll(async () => {
    installation = await startApp(engine);
  });
  beforeEach(async () => {
    service = await installation.inNewAccount();
  });

  const order = async (body: DaemonUpdateOrder, caller: Caller = service) =>
    (await caller.client.call('daemon-updates.create', { body })).data;
  const read = async (id: string) => (await service.client.call('daemon-updates.read', { params: { id } })).data;
  const refusal = async (body: object) => (await service.request('POST', '/daemon-updates', { body })).json.error;
  const reaches = (id: string, status: string) =>
    until(
      async () => {
        const update = await read(id);
        return update.status === status ? update : undefined;
      },
      { describe: `the update to be ${status}` },
    );
  const states = async (id: string) =>
    Object.fromEntries((await read(id)).targets.map((target) => [target.server_name, target.status]));
  const settles = (id: string, wanted: Record<string, string>) =>
    until(async () => JSON.stringify(await states(id)) === JSON.stringify(wanted) || undefined, {
      describe: `the targets to be ${JSON.stringify(wanted)}`,
    });
  /** Moves a time of the update or its targets into the past, and wakes its job. */
  async function past(id: string, ms: number) {
    const { db } = service.database;
    await db
      .updateTable('daemon_updates')
      .set((eb) => ({ stage_begun_at: eb('stage_begun_at', '-', ms) }))
      .where('id', '=', id)
      .execute();
    await db
      .updateTable('daemon_update_targets')
      .set((eb) => ({ heard_at: eb('heard_at', '-', ms) }))
      .where('update_id', '=', id)
      .execute();
    // A job that runs at this moment runs once more.
    await wakeUpdate(service.database, id);
  }

  it('updates one server, a part, then the rest, each stage after the one before', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const daemons = await Promise.all(names.map((name) => UpdateDaemon.connected(service, name)));
    const [a, b, ...rest] = daemons as [UpdateDaemon, UpdateDaemon, ...UpdateDaemon[]];
    const { id, stages, version } = await order({ all: true, stages: [1, '40%', '100%'] });
    expect([version, stages.map(({ servers }) => servers)]).toEqual(['1.2.3', [1, 1, 3]]);
    const sent = await a.order();
    expect(sent).toMatchObject({
      path: '/implant/linux/amd64/download',
      release: AGENT_RELEASE,
      allow_downgrade: false,
      server_id: a.serverId,
      signature: expect.any(String),
    });
    await a.report('downloading');
    await a.report('verified');
    await a.report('trying');
    await settles(id, { a: 'trying', b: 'queued', c: 'queued', d: 'queued', e: 'queued' });
    expect(b.orders).toEqual([]);
    await a.report('done');
    await b.succeed();
    for (const daemon of rest) await daemon.order();
    expect(await read(id)).toMatchObject({
      status: 'running',
      stage: 3,
      stages: [{ done: 1 }, { done: 1 }, { done: 0 }],
    });
    for (const daemon of rest) await daemon.succeed();
    expect(await reaches(id, 'completed')).toMatchObject({ error: null, stages: [{}, {}, { done: 3, failed: 0 }] });
    for (const daemon of daemons) expect(daemon.orders).toHaveLength(1);
    expect((await service.eventsOf(id)).map(({ type }) => type)).toEqual([
      'daemon_update.started',
      'daemon_update.completed',
    ]);
    expect((await service.eventsOf(a.serverId)).at(-1)).toMatchObject({
      type: 'audit.server_daemon_updated',
      data: { name: 'a', from_version: '1.0.0', version: '1.2.3', daemon_update_id: id },
    });
  });

  it('a daemon that returned or refused halts the rest; a person continues or cancels', async () => {
    const [a, b, c] = await Promise.all(['a', 'b', 'c'].map((name) => UpdateDaemon.connected(service, name)));
    const { id } = await order({ all: true, stages: [1, 2, 3] });
    await a?.report('trying');
    await a?.report('returned', { reason: 'unhealthy', message: 'The new daemon did not connect within 60 s.' });
    expect(await reaches(id, 'halted')).toMatchObject({
      error: 'a (returned): The new daemon did not connect within 60 s.',
      stages: [{ failed: 1 }, { failed: 0 }, {}],
      targets: [{ status: 'returned', reason: 'unhealthy' }, { status: 'queued' }, { status: 'queued' }],
    });
    expect([b?.orders, c?.orders]).toEqual([[], []]);
    const { data: continued } = await service.client.call('daemon-updates.continue', { params: { id } });
    expect(continued).toMatchObject({ status: 'running', error: null });
    expectRefusal(await service.request('POST', `/daemon-updates/${id}/continue`), 'VALIDATION_ERROR');
    await b?.report('refused', { reason: 'wrong_signature', message: 'The signature is wrong.' });
    await reaches(id, 'halted');
    await service.client.call('daemon-updates.cancel', { params: { id } });
    expect(await states(id)).toEqual({ a: 'returned', b: 'refused', c: 'cancelled' });
    const again = await service.client.call('daemon-updates.cancel', { params: { id } });
    expect(again.data.status).toBe('cancelled');
    expect((await service.eventsOf(id)).map(({ type }) => type)).toEqual([
      'daemon_update.started',
      'daemon_update.halted',
      'audit.daemon_update_continued',
      'daemon_update.halted',
      'audit.daemon_update_cancelled',
    ]);
    // It is free for another update.
    await order({ servers: [c?.serverId ?? ''] });
    await c?.order();
  });

  it('as many daemons may fail as the order allows, and the last failure fails the update', async () => {
    const [a, b] = await Promise.all(['a', 'b'].map((name) => UpdateDaemon.connected(service, name)));
    const tolerant = await order({ all: true, stages: [1], max_failed: 1 });
    await a?.report('refused', { reason: 'disk_full' });
    await b?.succeed();
    expect(await reaches(tolerant.id, 'completed')).toMatchObject({ stages: [{ failed: 1 }, { done: 1 }] });
    const single = await order({ servers: [a?.serverId ?? ''] });
    await until(async () => a?.orders.length === 2, { describe: 'the second order' });
    await a?.report('refused', { reason: 'disk_full', message: 'The disk is full.' });
    expect(await reaches(single.id, 'failed')).toMatchObject({ error: 'a (refused): The disk is full.' });
  });

  it('an offline server gets its order when it connects, once per connection until it reports', async () => {
    const daemon = await UpdateDaemon.connected(service, 'attic');
    await daemon.disconnect();
    await until(
      async () => !(await service.client.call('servers.read', { params: { id: daemon.serverId } })).data.connected,
      { describe: 'the end of the connection' },
    );
    const { id } = await order({ servers: [daemon.serverId] });
    expect(await states(id)).toEqual({ attic: 'queued' });
    await daemon.connect();
    const first = await daemon.order();
    await daemon.disconnect();
    await daemon.connect();
    expect((await daemon.order()).update_id).toBe(first.update_id);
    await daemon.report('downloading');
    await settles(id, { attic: 'downloading' });
    await daemon.disconnect();
    await daemon.connect();
    daemon.reportOf(first.update_id, '1.2.3', 'done');
    await reaches(id, 'completed');
    expect(daemon.orders).toEqual([]);
  });

  it('servers that stay offline or silent are unreachable, and a late report still counts', async () => {
    const offline = await UpdateDaemon.connected(service, 'offline');
    await offline.disconnect();
    const silent = await UpdateDaemon.connected(service, 'silent');
    const { id } = await order({ servers: [silent.serverId, offline.serverId], offline_minutes: 5 });
    const { update_id } = await silent.order();
    await past(id, SILENCE_MS);
    const halted = await reaches(id, 'halted');
    expect(halted.targets[0]).toMatchObject({ status: 'unreachable', reason: 'silent' });
    silent.reportOf(update_id, '1.2.3', 'done');
    await settles(id, { silent: 'done', offline: 'queued' });
    await service.client.call('daemon-updates.continue', { params: { id } });
    await until(async () => (await read(id)).stage === 2, { describe: 'the second stage' });
    await past(id, 5 * 60_000);
    expect(await reaches(id, 'failed')).toMatchObject({
      error: 'offline (unreachable): The server was offline for 5 minutes.',
    });
  });

  it('a removed server and one with an older daemon do not hold the update', async () => {
    const [gone, old] = [await UpdateDaemon.connected(service, 'gone'), await UpdateDaemon.connected(service, 'old')];
    await Promise.all([gone.disconnect(), old.disconnect()]);
    const { id } = await order({ servers: [gone.serverId, old.serverId], stages: [1, 2], max_failed: 5 });
    await service.client.call('servers.delete', { params: { id: gone.serverId } });
    await past(id, 0);
    await until(async () => (await read(id)).stage === 2, { describe: 'the second stage' });
    // A daemon that cannot update itself has connected there meanwhile.
    await service.database.db
      .updateTable('servers')
      .set({ capabilities: '[]', connected_replica: 'another' })
      .where('id', '=', old.serverId)
      .execute();
    await past(id, 0);
    expect(await reaches(id, 'completed')).toMatchObject({
      targets: [
        { status: 'unreachable', reason: 'removed' },
        { status: 'refused', reason: 'old_daemon', error: expect.stringContaining('by hand') },
      ],
    });
  });

  describe('an order', () => {
    it('chooses by label or all, the least risky first, and says which servers it leaves out', async () => {
      const berlin = { labels: { site: 'berlin' } };
      await UpdateDaemon.connected(service, 'prod', { ...berlin, environment: 'production' });
      await UpdateDaemon.connected(service, 'dev', { ...berlin, environment: 'development' });
      await UpdateDaemon.connected(service, 'paris', { labels: { site: 'paris' } });
      await UpdateDaemon.connected(service, 'current', { ...berlin, version: '1.2.3' });
      await UpdateDaemon.connected(service, 'newer', { ...berlin, version: '2.0.0' });
      await UpdateDaemon.connected(service, 'old', { ...berlin, capabilities: [] });
      await UpdateDaemon.connected(service, 'arm', { ...berlin, arch: 'arm64' });
      await UpdateDaemon.register(service, 'new', berlin);
      const update = await order({ label: 'site=berlin' });
      expect(update.targets.map(({ server_name }) => server_name)).toEqual(['dev', 'prod']);
      expect(Object.fromEntries(update.left_out.map(({ name, reason }) => [name, reason]))).toEqual({
        current: 'current',
        newer: 'newer',
        old: 'old_daemon',
        arm: 'no_release',
        new: 'never_connected',
      });
      expect((await order({ all: true, allow_downgrade: true })).targets.map(({ server_name }) => server_name)).toEqual(
        ['newer', 'paris'],
      );
    });

    it('of given servers is refused if one of them cannot be updated', async () => {
      const daemon = await UpdateDaemon.connected(service, 'attic');
      const old = await UpdateDaemon.connected(service, 'old', { capabilities: [] });
      const servers = [daemon.serverId, old.serverId];
      expect(await refusal({ servers })).toMatchObject({
        message: expect.stringMatching(/^servers: The daemon of old cannot update itself/),
        details: { reason: 'old_daemon', server_id: old.serverId },
      });
      const { id } = await order({ servers: [daemon.serverId] });
      expect(await refusal({ servers: [daemon.serverId] })).toMatchObject({ details: { reason: 'updating' } });
      expect(await refusal({ all: true })).toMatchObject({ details: { reason: 'nothing', field: 'all' } });
      await daemon.succeed();
      await reaches(id, 'completed');
    });

    it('names exactly one way to choose servers, and growing stages', async () => {
      for (const [body, field] of [
        [{}, 'servers'],
        [{ all: true, label: 'a=b' }, 'all'],
        [{ all: true, stages: [2, 1] }, 'stages'],
        [{ all: true, version: '9.9.9' }, 'version'],
        [{ label: 'site=nowhere' }, 'label'],
        [{ all: true, stages: ['0%'] }, 'stages'],
      ] as const)
        expect((await refusal(body)).message, JSON.stringify(body)).toMatch(new RegExp(`^${field}`));
    });

    it('without a signed release says how to make one', async () => {
      await UpdateDaemon.connected(service, 'attic');
      const signature = join(service.testDatabase.directory, 'agents', 'hortusd-linux-amd64.sig');
      await rm(signature);
      expect(await refusal({ all: true })).toMatchObject({
        message: expect.stringContaining('npm run build:daemon -- --sign'),
        details: { reason: 'no_release', field: 'version' },
      });
      await writeFile(signature, JSON.stringify(AGENT_RELEASE));
      await order({ all: true });
    });

    it('of a server of another account is not found, and its updates are invisible', async () => {
      const other = await service.addAccount();
      const daemon = await UpdateDaemon.connected(other, 'theirs');
      const body = { servers: [daemon.serverId] };
      expectRefusal(await service.request('POST', '/daemon-updates', { body }), 'NOT_FOUND');
      const { id } = await order(body, other);
      for (const [method, path] of [
        ['GET', id],
        ['POST', `${id}/cancel`],
        ['POST', `${id}/continue`],
      ] as const)
        expectRefusal(await service.request(method, `/daemon-updates/${path}`), 'NOT_FOUND');
      expect((await service.client.call('daemon-updates.list', {})).data).toEqual([]);
    });
  });

  it('a report of another server, of an unknown update or out of order changes nothing', async () => {
    const [daemon, thief] = [
      await UpdateDaemon.connected(service, 'a'),
      await UpdateDaemon.connected(service, 'thief'),
    ];
    const { id } = await order({ servers: [daemon.serverId] });
    const { update_id } = await daemon.order();
    thief.reportOf(update_id, '1.2.3', 'done');
    thief.reportOf('dut_unknown', '1.2.3', 'done');
    await daemon.report('trying');
    await daemon.report('downloading');
    await daemon.report('trying');
    await settles(id, { a: 'trying' });
    await daemon.report('done');
    await reaches(id, 'completed');
    await daemon.report('returned', { reason: 'unhealthy' });
    await daemon.disconnect();
    expect(await states(id)).toEqual({ a: 'done' });
    expect(service.errors).toEqual([]);
  });

  it('servers show their labels and whether a newer daemon is available', async () => {
    const daemon = await UpdateDaemon.connected(service, 'attic', { labels: { site: 'berlin' } });
    const server = async () => (await service.client.call('servers.read', { params: { id: daemon.serverId } })).data;
    expect(await server()).toMatchObject({
      labels: { site: 'berlin' },
      daemon: { version: '1.0.0', newer_version: '1.2.3' },
    });
    const body = { labels: { rack: '4' } };
    await service.client.call('servers.update', { params: { id: daemon.serverId }, body });
    await daemon.disconnect();
    daemon.version = '1.2.3';
    await daemon.connect();
    expect(await server()).toMatchObject({ labels: { rack: '4' }, daemon: { version: '1.2.3', newer_version: null } });
  });

  it('old updates are removed with their targets, except those that have not ended', async () => {
    // Retention removes the updates of every account.
    service = await startApp(engine);
    const [a, b] = await Promise.all(['a', 'b'].map((name) => UpdateDaemon.connected(service, name)));
    const ended = await order({ servers: [a?.serverId ?? ''] });
    await a?.succeed();
    await reaches(ended.id, 'completed');
    const open = await order({ servers: [b?.serverId ?? ''] });
    await b?.order();
    await service.client.call('daemon-updates.cancel', { params: { id: open.id } });
    const rule = retentionRules(defaultRetention).find(({ name }) => name === 'updates of daemons');
    expect(await rule?.remove(service.database, Date.now() + 1_000, 100)).toBe(1);
    const { db } = service.database;
    expect(await db.selectFrom('daemon_update_targets').select('update_id').execute()).toEqual([
      { update_id: open.id },
    ]);
  });
});
