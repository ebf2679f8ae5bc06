import { until } from '@hortus/testkit/until';
import { expect, it } from 'vitest';
import { type Principal, unlimited } from '../../identity/principal.ts';
import { hashOf, newServerKey } from '../../identity/tokens.ts';
import { Pages } from '../../storage/page.ts';
import { onBothEngines } from '../../testing/engines.ts';
import { oldKeyJob } from './old-keys.ts';
import { Servers } from './service.ts';
import { insertServer, openReplica, type Replica } from './testing/replica.ts';

onBothEngines((engine) => {
  /** Inserts a server, and lets its owner rotate its key or remove it. */
  async function insertServerWithSocket(replica: Replica) {
    const { id, key } = await insertServer(replica);
    const servers = new Servers({
      newer: () => null,
      refreshReleases: async () => {},
      requireRoom: async () => {},
      reader: replica.storage.reader,
      pages: new Pages(),
      vault: replica.vault,
      issueKey: () => newServerKey('live'),
      manifestKey: () => '',
      members: { first: async () => '', revokeAll: async () => {} },
      inUse: async () => ({ definitions: 0, instances: 0 }),
      abandon: async () => {},
    });
    const { account_id: accountId } = await replica.server(id);
    const owner: Principal = {
      kind: 'key',
      id: 'key_1',
      accountId,
      plan: 'pro',
      userId: null,
      ...unlimited,
      permissions: ['admin'],
    };
    return {
      id,
      key,
      rotate: (force = false) => replica.storage.write((tx) => servers.rotateKey(tx, owner, id, force)),
      remove: () => replica.storage.write((tx) => servers.remove(tx, owner, id, false)),
    };
  }
  const rotate = { capabilities: ['rotate'] };
  /** Reads the row after the next roll call. */
  const rollCalled = async (replica: Replica, id: string) => {
    const { last_seen_at: before } = await replica.server(id);
    return await until(
      async () => {
        const row = await replica.server(id);
        return row.last_seen_at !== before && row;
      },
      { describe: 'a roll call' },
    );
  };

  it('a connected daemon gets its new key, and the old one is revoked when acknowledged', async () => {
    const replica = await openReplica(engine, await engine.testDatabase());
    const { id, key, ...server } = await insertServerWithSocket(replica);
    const daemon = replica.daemon(key, rotate);
    await replica.becomes(id, { connection_epoch: 1 });
    const { api_key, old_key } = await server.rotate();
    expect(old_key).toBe('valid_until_acknowledged');
    const offer = await daemon.received('rotate_key');
    expect(offer.api_key).toBe(api_key);
    const kept = await replica.server(id);
    expect(kept).toMatchObject({ key_hash: hashOf(key), next_key_sealed: expect.any(String) });
    expect(JSON.stringify(kept)).not.toContain(api_key);
    daemon.send({ type: 'key_rotated', rotation: offer.rotation });
    await replica.becomes(id, { key_hash: hashOf(api_key), next_key_hash: null, next_key_sealed: null });
    // Also now, before the revocation was announced.
    expect(await replica.daemon(key).closed).toBe(4401);
    expect(daemon.isOpen).toBe(true);
    const again = replica.daemon(api_key, rotate);
    expect(await daemon.closed).toBe(4409);
    expect(again.isOpen).toBe(true);
  });

  it('a new key may be used before its acknowledgement is read: the connection it was sent on stays open', async () => {
    const replica = await openReplica(engine, await engine.testDatabase(), { rollCallMs: 50 });
    const { id, key, ...server } = await insertServerWithSocket(replica);
    const daemon = replica.daemon(key, rotate);
    const bystander = await replica.connected(id);
    const { api_key } = await server.rotate();
    const { rotation } = await daemon.received('rotate_key');
    // A request overtakes the acknowledgement.
    await replica.authenticator.authenticateKey(api_key, '127.0.0.1');
    expect(await replica.server(id)).toMatchObject({ key_hash: hashOf(api_key), next_key_hash: null });
    daemon.send({ type: 'key_rotated', rotation });
    daemon.send({ type: 'action_started', execution_id: 'exe_1' });
    await until(() => replica.reports.length === 1, { describe: 'the acknowledgement to be read' });
    await rollCalled(replica, id);
    await rollCalled(replica, id);
    expect(daemon.isOpen).toBe(true);
    expect(replica.channel.gateway.connection(id)).toBe(bystander);
    // From now on the connection belongs to the new key.
    await server.rotate(true);
    expect(await daemon.closed).toBe(4401);
  });

  it('a connection closes if both of its keys are revoked before the acknowledgement', async () => {
    const replica = await openReplica(engine, await engine.testDatabase());
    const { id, key, ...server } = await insertServerWithSocket(replica);
    const daemon = replica.daemon(key, rotate);
    await replica.becomes(id, { connection_epoch: 1 });
    const { api_key } = await server.rotate();
    await daemon.received('rotate_key');
    await server.rotate(true);
    expect(await daemon.closed).toBe(4401);
    for (const dead of [key, api_key]) expect(await replica.daemon(dead).closed).toBe(4401);
  });

  it('an offline daemon gets its new key on reconnect', async () => {
    const replica = await openReplica(engine, await engine.testDatabase());
    const { id, key, ...server } = await insertServerWithSocket(replica);
    replica.daemon(key, rotate).socket.once('open', () => {});
    (await replica.connected(id)).terminate();
    await replica.becomes(id, { connected_replica: null });
    const { api_key } = await server.rotate();
    const daemon = replica.daemon(key, rotate);
    expect((await daemon.received('rotate_key')).api_key).toBe(api_key);
  });

  it('only the newest of several new keys is accepted', async () => {
    const replica = await openReplica(engine, await engine.testDatabase());
    const { id, key, ...server } = await insertServerWithSocket(replica);
    const daemon = replica.daemon(key, rotate);
    await replica.becomes(id, { connection_epoch: 1 });
    await server.rotate();
    const { rotation } = await daemon.received('rotate_key');
    const { api_key } = await server.rotate();
    const offered = () => daemon.of('rotate_key').some((offer) => offer.api_key === api_key);
    await until(offered, { describe: 'the second key' });
    daemon.send({ type: 'key_rotated', rotation });
    daemon.send({ type: 'key_rotated', rotation: 'nonsense' });
    daemon.send({ type: 'action_started', execution_id: 'exe_1' });
    await until(() => replica.reports.length === 1, { describe: 'the acknowledgements to be read' });
    expect(await replica.server(id)).toMatchObject({ key_hash: hashOf(key), next_key_hash: hashOf(api_key) });
    expect(daemon.isOpen).toBe(true);
    daemon.send({ type: 'key_rotated', rotation: hashOf(api_key) });
    await replica.becomes(id, { key_hash: hashOf(api_key), next_key_hash: null });
  });

  it('a daemon without the capability gets nothing, and its old key is revoked immediately', async () => {
    const replica = await openReplica(engine, await engine.testDatabase());
    const { id, key, ...server } = await insertServerWithSocket(replica);
    const daemon = replica.daemon(key, { capabilities: ['journal'] });
    await replica.becomes(id, { connection_epoch: 1 });
    const { api_key } = await server.rotate();
    expect(await replica.server(id)).toMatchObject({ next_key_sealed: null, key_hash: hashOf(api_key) });
    expect(await daemon.closed).toBe(4401);
    expect(daemon.messages).toEqual([]);
  });

  it('a new key that is not used within a day still replaces the old one', async () => {
    const replica = await openReplica(engine, await engine.testDatabase());
    const { id, key, ...server } = await insertServerWithSocket(replica);
    const daemon = replica.daemon(key, rotate);
    await replica.becomes(id, { connection_epoch: 1 });
    const { api_key } = await server.rotate();
    const { old_key_until } = await replica.server(id);
    const run = (now: number) =>
      oldKeyJob(replica.storage, () => now).run({ job: { payload: { server_id: id } } } as never);
    expect(await run((old_key_until ?? 0) - 1)).toEqual({ again: old_key_until });
    expect((await replica.server(id)).key_hash).toBe(hashOf(key));
    expect(await run(old_key_until ?? 0)).toBe('done');
    expect(await replica.server(id)).toMatchObject({ key_hash: hashOf(api_key), old_key_until: null });
    expect(await replica.daemon(key).closed).toBe(4401);
    expect(daemon.of('rotate_key')).toHaveLength(1);
  });

  it.each(['forced rotation', 'removal'])('a %s closes the connection of the old key', async (how) => {
    const replica = await openReplica(engine, await engine.testDatabase());
    const { id, key, ...server } = await insertServerWithSocket(replica);
    const daemon = replica.daemon(key, rotate);
    await replica.becomes(id, { connection_epoch: 1 });
    await (how === 'removal' ? server.remove() : server.rotate(true));
    expect(await daemon.closed).toBe(4401);
    expect(await replica.daemon(key).closed).toBe(4401);
  });

  if (engine.name === 'postgres') {
    it('a new key reaches a daemon at another replica, in plain text neither on the bus nor in the database', async () => {
      const testDatabase = await engine.testDatabase();
      const [here, there] = [await openReplica(engine, testDatabase), await openReplica(engine, testDatabase)];
      const { id, key, ...server } = await insertServerWithSocket(here);
      const daemon = there.daemon(key, rotate);
      await here.becomes(id, { connected_replica: there.name });
      const { api_key } = await server.rotate();
      const offer = await daemon.received('rotate_key');
      expect(offer.api_key).toBe(api_key);
      daemon.send({ type: 'key_rotated', rotation: offer.rotation });
      await here.becomes(id, { key_hash: hashOf(api_key), next_key_sealed: null });
      await server.rotate(true);
      expect(await daemon.closed).toBe(4401);
    });
  }
});
