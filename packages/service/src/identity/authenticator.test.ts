import { until } from '@hortus/testkit/until';
import { expect, it } from 'vitest';
import { newId } from '../records/ids.ts';
import type { Storage, Tx } from '../storage/storage.ts';
import type { NewRow } from '../storage/tables.ts';
import { onDifferingEngines } from '../testing/engines.ts';
import { ACCOUNTS_TOPIC, type Authenticator, KEYS_TOPIC } from './authenticator.ts';
import { insertKey } from './store.ts';
import { adminKey, type Replica, twoReplicas } from './testing/replicas.ts';
import { insertServer, setNextServerKey } from './testing/server-rows.ts';
import { newServerKey, newSessionTokens, newUserKey } from './tokens.ts';

const HERE = '192.0.2.7';
const bearer = (token: string) => ({ authorization: `Bearer ${token}`, sessionToken: undefined, pageToken: undefined });
const enter = (authenticator: Authenticator, token: string, address = HERE) =>
  authenticator.authenticate(bearer(token), address);
const cached = (authenticator: Authenticator, token: string, address = HERE) =>
  authenticator.fromCache(`Bearer ${token}`, address);

const over = (authenticator: Authenticator, connection: object, token: string) =>
  authenticator.authenticate({ ...bearer(token), connection }, HERE);

async function addKey({ storage, accountId }: Replica, overrides: Partial<NewRow<'api_keys'>> = {}) {
  const token = newUserKey('live');
  const id = newId('key');
  await storage.write((tx) =>
    insertKey(tx, {
      id,
      account_id: accountId,
      hash: token.hash,
      prefix: token.prefix,
      name: 'test',
      permissions: '["templates:read"]',
      allowed_cidrs: '[]',
      expires_at: null,
      last_used_at: null,
      created_by: null,
      created_at: tx.now,
      revoked_at: null,
      ...overrides,
    }),
  );
  return { id, ...token };
}

const revoke = (storage: Storage, key: { id: string; hash: string }) =>
  storage.write(async (tx: Tx) => {
    await tx.db.updateTable('api_keys').set({ revoked_at: tx.now }).where('id', '=', key.id).execute();
    tx.notify(KEYS_TOPIC, key.hash);
  });

const unauthorized = { code: 'UNAUTHORIZED' };

onDifferingEngines('notices between replicas', (engine) => {
  it('a valid key is accepted, from the cache if it was seen before', async () => {
    const [{ authenticator, accountId }] = await twoReplicas(engine);
    expect(cached(authenticator, adminKey)).toBeUndefined();
    const principal = await enter(authenticator, adminKey);
    expect(principal).toMatchObject({ kind: 'key', accountId, plan: 'enterprise', permissions: ['admin'] });
    expect(cached(authenticator, adminKey)).toBe(principal);
    expect(
      await authenticator.authenticate(
        { authorization: `bearer  ${adminKey} `, sessionToken: undefined, pageToken: undefined },
        HERE,
      ),
    ).toBe(principal);
  });

  it('unknown keys are looked up only if the caller is within its limit; cached keys need no lookup', async () => {
    const [replica] = await twoReplicas(engine);
    const [known, unknown] = [await addKey(replica), await addKey(replica)];
    const { authenticator } = replica;
    await enter(authenticator, known.token);
    const never = () => {
      throw new Error('too many wrong keys');
    };
    expect(await authenticator.authenticate(bearer(known.token), HERE, never)).toMatchObject({ id: known.id });
    await expect(authenticator.authenticate(bearer(unknown.token), HERE, never)).rejects.toThrow('too many wrong keys');
    await enter(authenticator, unknown.token);
  });

  it('keys that are missing, malformed, unknown, revoked or of the other mode are refused', async () => {
    const [replica] = await twoReplicas(engine);
    const { authenticator } = replica;
    const revoked = await addKey(replica, { revoked_at: 1 });
    const otherMode = newUserKey('test');
    await addKey(replica, { hash: otherMode.hash });
    const headers = ['', 'Bearer', 'Bearer ', `Basic ${adminKey}`, `Bearer ${adminKey}x`, `Bearer ${adminKey} x`];
    const tokens = ['hk_live_', newUserKey('live').token, newServerKey('live').token, revoked.token, otherMode.token];
    for (const authorization of [undefined, ...headers, ...tokens.map((token) => `Bearer ${token}`)]) {
      const entering = authenticator.authenticate(
        { authorization, sessionToken: undefined, pageToken: undefined },
        HERE,
      );
      await expect(entering, authorization ?? 'no header').rejects.toMatchObject(unauthorized);
    }
    const { cookie, page } = newSessionTokens();
    await expect(
      authenticator.authenticate({ authorization: undefined, sessionToken: cookie.token, pageToken: page.token }, HERE),
    ).rejects.toMatchObject(unauthorized);
  });

  it('a key is refused from the moment it expires, even if it is cached', async () => {
    let now = 1_000_000;
    const [replica] = await twoReplicas(engine, () => now);
    const key = await addKey(replica, { expires_at: now + 100 });
    await enter(replica.authenticator, key.token);
    now += 99;
    expect(cached(replica.authenticator, key.token)).toBeDefined();
    now += 1;
    expect(cached(replica.authenticator, key.token)).toBeUndefined();
    await expect(enter(replica.authenticator, key.token)).rejects.toMatchObject(unauthorized);
  });

  it('a key is accepted only from its networks, even if it is cached', async () => {
    const [replica] = await twoReplicas(engine);
    const { authenticator } = replica;
    const key = await addKey(replica, { allowed_cidrs: '["192.0.2.0/24","2001:db8::/32"]' });
    for (const address of ['192.0.2.7', '::ffff:192.0.2.9', '2001:db8::1']) {
      await enter(authenticator, key.token, address);
      expect(cached(authenticator, key.token, address)).toBeDefined();
    }
    for (const address of ['192.0.3.1', '2001:db9::1', '::1', '', 'unix']) {
      expect(cached(authenticator, key.token, address)).toBeUndefined();
      await expect(enter(authenticator, key.token, address)).rejects.toMatchObject(unauthorized);
    }
  });

  it('a revoked key leaves the cache at once, on every replica', async () => {
    const [replica, two] = await twoReplicas(engine);
    const key = await addKey(replica);
    await enter(replica.authenticator, key.token);
    await enter(two.authenticator, key.token);
    await revoke(replica.storage, key);
    expect(cached(replica.authenticator, key.token)).toBeUndefined();
    await expect(enter(replica.authenticator, key.token)).rejects.toMatchObject(unauthorized);
    await until(() => cached(two.authenticator, key.token) === undefined, {
      describe: 'the other replica to hear of it',
    });
    await expect(enter(two.authenticator, key.token)).rejects.toMatchObject(unauthorized);
  });

  it('a request is authenticated by its own key, not by an earlier key of the connection', async () => {
    const [replica] = await twoReplicas(engine);
    const { authenticator, storage } = replica;
    const connection = {};
    const [first, second] = [await addKey(replica), await addKey(replica)];
    expect(await over(authenticator, connection, first.token)).toMatchObject({ id: first.id });
    expect(await over(authenticator, connection, second.token)).toMatchObject({ id: second.id });
    await expect(over(authenticator, connection, 'hk_live_')).rejects.toMatchObject(unauthorized);
    expect(await over(authenticator, connection, first.token)).toMatchObject({ id: first.id });
    expect(authenticator.fromCache(`Bearer ${second.token}`, HERE, connection)).toMatchObject({ id: second.id });
    await revoke(storage, second);
    expect(authenticator.fromCache(`Bearer ${second.token}`, HERE, connection)).toBeUndefined();
    await expect(over(authenticator, connection, second.token)).rejects.toMatchObject(unauthorized);
  });

  it('a lookup that a revocation overtook is not cached', async () => {
    const [replica] = await twoReplicas(engine);
    const key = await addKey(replica);
    const entering = enter(replica.authenticator, key.token);
    replica.bus.publish(KEYS_TOPIC, key.hash);
    await entering;
    expect(cached(replica.authenticator, key.token)).toBeUndefined();
  });

  it('a changed plan applies at once, any other change within half a minute', async () => {
    let now = 1_000_000;
    const [replica] = await twoReplicas(engine, () => now);
    const { storage, accountId, authenticator } = replica;
    const setPlan = (plan: 'free' | 'pro', notice: boolean) =>
      storage.write(async (tx) => {
        await tx.db.updateTable('accounts').set({ plan }).where('id', '=', accountId).execute();
        if (notice) tx.notify(ACCOUNTS_TOPIC, accountId);
      });
    await enter(authenticator, adminKey);
    await setPlan('pro', true);
    expect(await enter(authenticator, adminKey)).toMatchObject({ plan: 'pro' });
    await setPlan('free', false);
    now += 29_999;
    expect(await enter(authenticator, adminKey)).toMatchObject({ plan: 'pro' });
    now += 1;
    expect(await enter(authenticator, adminKey)).toMatchObject({ plan: 'free' });
  });

  it('the last use is recorded without a write per request, and never goes back', async () => {
    let now = 1_000_000;
    const [replica, two] = await twoReplicas(engine, () => now);
    const key = await addKey(replica);
    const lastUse = async () => {
      const query = replica.storage.reader.db.selectFrom('api_keys').select('last_used_at').where('id', '=', key.id);
      return (await query.executeTakeFirstOrThrow()).last_used_at;
    };
    await enter(two.authenticator, key.token);
    now += 500;
    await enter(replica.authenticator, key.token);
    now += 500;
    cached(replica.authenticator, key.token);
    expect(await lastUse()).toBeNull();
    await replica.authenticator.close();
    expect(await lastUse()).toBe(1_001_000);
    await two.authenticator.flush();
    expect(await lastUse()).toBe(1_001_000);
  });

  it('both keys of a server are accepted until the new one is used; then the old one is refused on every replica', async () => {
    const [replica, two] = await twoReplicas(engine);
    const [old, next] = [newServerKey('live'), newServerKey('live')];
    const serverId = await insertServer(replica, old.hash);
    expect(await enter(replica.authenticator, old.token)).toMatchObject({ kind: 'server', serverId });
    await setNextServerKey(replica.storage, serverId, next.hash);
    await enter(two.authenticator, old.token);
    expect(await replica.authenticator.authenticateKey(next.token, HERE)).toMatchObject({ kind: 'server', serverId });
    await expect(enter(replica.authenticator, old.token)).rejects.toMatchObject(unauthorized);
    await until(() => cached(two.authenticator, old.token) === undefined, { describe: 'the old key to be forgotten' });
    await expect(enter(two.authenticator, old.token)).rejects.toMatchObject(unauthorized);
    expect(await enter(two.authenticator, next.token)).toMatchObject({ serverId });
  });

  it('the key of a removed server is refused', async () => {
    const [replica] = await twoReplicas(engine);
    const key = newServerKey('live');
    const id = await insertServer(replica, key.hash);
    await replica.storage.write((tx) =>
      tx.db.updateTable('servers').set({ deleted_at: 1 }).where('id', '=', id).execute(),
    );
    await expect(enter(replica.authenticator, key.token)).rejects.toMatchObject(unauthorized);
  });
});
