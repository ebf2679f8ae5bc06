import { until } from '@hortus/testkit/until';
import { describe, expect, it } from 'vitest';
import { CHANNEL_TOPIC } from '../../../channel/waker.ts';
import { notFound } from '../../../problem.ts';
import { onBothEngines } from '../../../testing/engines.ts';
import { insertPendingDeployment, insertServer, openReplica } from '../testing/replica.ts';

onBothEngines((engine) => {
  const open = async (...[options]: [Parameters<typeof openReplica>[2]?]) =>
    await openReplica(engine, await engine.testDatabase(), options);

  describe('a daemon that connects', () => {
    it('brings its server online and describes itself', async () => {
      const replica = await open();
      const { id, key } = await insertServer(replica);
      const about = { capabilities: ['wake', 'ack', 'unheard-of'], version: '1.2.3', os: 'linux', arch: 'arm64' };
      const daemon = replica.daemon(key, about);
      expect(await daemon.received('authenticated')).toEqual({
        type: 'authenticated',
        server_id: id,
        capabilities: ['wake', 'ack'],
        ping_seconds: 20,
      });
      expect(await replica.server(id)).toMatchObject({
        status: 'online',
        connected_replica: replica.name,
        connection_epoch: 1,
        capabilities: '["wake","ack"]',
        daemon_version: '1.2.3',
        daemon_platform: '{"os":"linux","arch":"arm64","address":"127.0.0.1"}',
        duplicate_at: null,
        last_seen_at: expect.any(Number),
      });
      await until(() => replica.woken.length === 1, { describe: 'the daemon to be woken' });
      expect(replica.woken[0]).toMatchObject({ serverId: id, epoch: 1 });
    });

    it('and disconnects takes its server offline a little later, and loses its instances', async () => {
      const replica = await open();
      const { id, key } = await insertServer(replica);
      const daemon = replica.daemon(key);
      await replica.becomes(id, { status: 'online' });
      expect(replica.instances).toEqual([`regain ${id}`]);
      daemon.socket.close();
      await replica.becomes(id, { connected_replica: null, status: 'online' });
      await replica.becomes(id, { status: 'offline' });
      expect(replica.instances).toEqual([`regain ${id}`, `lose ${id}`]);
      replica.daemon(key);
      await replica.becomes(id, { status: 'online', connection_epoch: 2 });
      expect(replica.instances).toEqual([`regain ${id}`, `lose ${id}`, `regain ${id}`]);
    });

    it('and reconnects quickly keeps its server online', async () => {
      const replica = await open({ timeouts: { reconnectMs: 2_000 } });
      const { id, key } = await insertServer(replica);
      const daemon = replica.daemon(key);
      await replica.becomes(id, { connection_epoch: 1 });
      daemon.socket.close();
      await replica.becomes(id, { connected_replica: null });
      replica.daemon(key);
      await replica.becomes(id, { connection_epoch: 2, connected_replica: replica.name });
      const silent = () =>
        replica.storage.reader.db.selectFrom('jobs').select('id').where('key', '=', id).executeTakeFirst();
      await until(async () => (await silent()) === undefined, { describe: 'the silence job to be done' });
      expect(await replica.server(id)).toMatchObject({ status: 'online', duplicate_at: null });
      expect(replica.instances).toEqual([`regain ${id}`]);
    });

    it('does not end the draining of its server', async () => {
      const replica = await open();
      const { id, key } = await insertServer(replica);
      await replica.storage.write((tx) => tx.run(`update servers set status = 'draining'`, []));
      const daemon = replica.daemon(key);
      await replica.becomes(id, { status: 'draining', connected_replica: replica.name });
      daemon.socket.close();
      await until(() => replica.instances.includes(`lose ${id}`), { describe: 'the instances to be lost' });
      expect(await replica.server(id)).toMatchObject({ status: 'draining', connected_replica: null });
    });

    it.each(['disabled', 'removed'])('is refused when the server is %s', async (how) => {
      const replica = await open();
      const { key } = await insertServer(replica);
      const change = how === 'disabled' ? `status = 'disabled'` : 'deleted_at = 1';
      await replica.storage.write((tx) => tx.run(`update servers set ${change}`, []));
      expect(await replica.daemon(key).closed).toBe(4401);
    });
  });

  describe('a second daemon with the same key', () => {
    it('replaces the first, and the server shows the duplicate', async () => {
      const replica = await open();
      const { id, key } = await insertServer(replica);
      const first = replica.daemon(key);
      await replica.becomes(id, { connection_epoch: 1 });
      const second = replica.daemon(key);
      expect(await first.closed).toBe(4409);
      await until(async () => (await replica.server(id)).duplicate_at, { describe: 'the duplicate to be seen' });
      expect(await replica.server(id)).toMatchObject({
        status: 'online',
        connection_epoch: 2,
        connected_replica: replica.name,
      });
      expect(second.isOpen).toBe(true);
      await replica.connected(id, 2);
    });

    it('is no duplicate if the first was dead without being noticed', async () => {
      const replica = await open();
      const { id, key } = await insertServer(replica);
      const first = replica.daemon(key);
      const connection = await replica.connected(id);
      // Like a lost network: it neither receives nor answers.
      first.socket.pause();
      replica.daemon(key);
      await until(() => !connection.isOpen && replica.channel.gateway.connection(id) !== connection, {
        describe: 'the first to be replaced',
      });
      first.socket.terminate();
      await replica.becomes(id, { connection_epoch: 2, duplicate_at: null });
    });
  });

  describe('a daemon that only polls', () => {
    it('keeps its server online while it polls', async () => {
      const replica = await open({ timeouts: { pollMs: 1_000, writePollMs: 10 } });
      const { id } = await insertServer(replica);
      replica.liveness.seen(id);
      const { last_seen_at } = await replica.becomes(id, { status: 'online', connected_replica: null });
      expect(replica.instances).toEqual([`regain ${id}`]);
      // Longer than the silence limit.
      await until(
        async () => {
          replica.liveness.seen(id);
          return ((await replica.server(id)).last_seen_at ?? 0) > (last_seen_at ?? 0) + 1_200;
        },
        { describe: 'it to poll for a while', every: 20 },
      );
      expect(await replica.server(id)).toMatchObject({ status: 'online' });
      await replica.becomes(id, { status: 'offline' });
      expect(replica.instances).toEqual([`regain ${id}`, `lose ${id}`]);
    });

    it('writes only now and then', async () => {
      const replica = await open();
      const { id } = await insertServer(replica);
      replica.liveness.seen(id);
      const { last_seen_at } = await replica.becomes(id, { status: 'online' });
      for (let i = 0; i < 100; i++) replica.liveness.seen(id);
      await replica.storage.write(async () => {});
      expect(await replica.server(id)).toMatchObject({ last_seen_at });
    });

    it('is online after its connection broke; one that polls beside its connection goes offline with it', async () => {
      const replica = await open({ timeouts: { pollMs: 60_000, writePollMs: 1 } });
      const { id, key } = await insertServer(replica);
      const daemon = replica.daemon(key);
      await replica.becomes(id, { connection_epoch: 1 });
      replica.liveness.seen(id);
      daemon.socket.close();
      await replica.becomes(id, { status: 'offline' });
      replica.liveness.seen(id);
      await replica.becomes(id, { status: 'online', connected_replica: null });
    });
  });

  it('a restarted process gives the daemons of its predecessor time to reconnect', async () => {
    const testDatabase = await engine.testDatabase();
    const before = await openReplica(engine, testDatabase);
    const [back, gone] = [await insertServer(before), await insertServer(before)];
    before.daemon(back.key);
    before.daemon(gone.key);
    await before.becomes(back.id, { status: 'online' });
    await before.becomes(gone.id, { status: 'online' });
    await before.die();
    const after = await openReplica(engine, testDatabase, { watch: { beatMs: 20, deadAfterMs: 2_000 } });
    after.daemon(back.key);
    await after.becomes(back.id, { connected_replica: after.name });
    expect(await after.server(gone.id)).toMatchObject({ status: 'online', connected_replica: before.name });
    await after.becomes(gone.id, { status: 'offline', connected_replica: null });
    expect(await after.server(back.id)).toMatchObject({ status: 'online', connected_replica: after.name });
    expect(after.instances).toEqual([`lose ${gone.id}`]);
  });

  it('records now and then that a connected daemon was seen', async () => {
    const replica = await open({ rollCallMs: 20 });
    const { id, key } = await insertServer(replica);
    replica.daemon(key);
    const { last_seen_at, updated_at } = await replica.becomes(id, { status: 'online' });
    await until(async () => ((await replica.server(id)).last_seen_at ?? 0) > (last_seen_at ?? 0), {
      describe: 'it to be seen later',
    });
    expect(await replica.server(id)).toMatchObject({ updated_at });
  });

  it('the bus wakes the named daemon', async () => {
    const replica = await open();
    const [item, other] = [await insertServer(replica), await insertServer(replica)];
    replica.daemon(item.key);
    replica.daemon(other.key);
    await until(() => replica.woken.length === 2, { describe: 'both to be connected' });
    await replica.storage.write(async (tx) => tx.notify(CHANNEL_TOPIC, item.id));
    await until(() => replica.woken.length === 3, { describe: 'it to be woken' });
    expect(replica.woken[2]?.serverId).toBe(item.id);
  });

  it('work that was not announced on the bus is found', async () => {
    const replica = await open({ sweepMs: 50 });
    const { id, key } = await insertServer(replica);
    const daemon = replica.daemon(key, { capabilities: ['wake'] });
    await until(() => replica.woken.length === 1, { describe: 'the daemon to be connected' });
    expect(daemon.messages).toEqual([]);
    const deployment = await insertPendingDeployment(replica.storage, id);
    await until(() => replica.woken.length > 2, { describe: 'it to be woken' });
    expect(await daemon.received('deployment_available')).toEqual({ type: 'deployment_available' });
    await replica.storage.write((tx) => tx.run(`update deployments set status = 'running'`, []));
    await until(
      async () => {
        const before = replica.woken.length;
        // Two sweeps at least.
        await new Promise((next) => setTimeout(next, 120));
        return replica.woken.length === before;
      },
      { describe: `it to be left alone while it works on ${deployment}` },
    );
  });

  it('results are acknowledged on request, also unusable ones', async () => {
    const replica = await open({
      report: async (_connection, { execution_id }) => {
        if (execution_id === 'exe_unknown') throw notFound('execution');
      },
    });
    const [item, other] = [await insertServer(replica), await insertServer(replica)];
    const [asks, silent] = [replica.daemon(item.key, { capabilities: ['ack'] }), replica.daemon(other.key)];
    for (const daemon of [asks, silent]) {
      await daemon.opened();
      daemon.send({ type: 'action_started', execution_id: 'exe_1' });
      daemon.send({ type: 'action_completed', execution_id: 'exe_1', exit_code: 0 });
      daemon.send({ type: 'action_failed', execution_id: 'exe_unknown', error: 'no' });
    }
    await until(() => asks.of('result_recorded').length === 2, { describe: 'two acknowledgements' });
    expect(asks.of('result_recorded').map(({ execution_id }) => execution_id)).toEqual(['exe_1', 'exe_unknown']);
    await replica.becomes(other.id, { status: 'online' });
    silent.socket.close();
    await silent.closed;
    expect(silent.messages).toEqual([]);
  });
});
