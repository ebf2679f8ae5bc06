import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KeyCreate } from '@hortus/contract/resources/keys';
import { until } from '@hortus/testkit/until';
import { expect, it } from 'vitest';
import type { Principal } from '../../identity/principal.ts';
import { callsOn } from '../../identity/testing/calls.ts';
import { adminKey, twoReplicas } from '../../identity/testing/replicas.ts';
import { Pages } from '../../storage/page.ts';
import { type Engine, onBothEngines } from '../../testing/engines.ts';
import { keyRoutes } from './routes.ts';
import { Keys } from './service.ts';

const HERE = '192.0.2.7';
const unauthorized = { code: 'UNAUTHORIZED' };

onBothEngines((engine) => {
  async function start(on: Engine = engine) {
    const [replica, other] = await twoReplicas(on);
    const { storage, authenticator } = replica;
    const routes = keyRoutes(new Keys({ storage, pages: new Pages(), mode: 'live' }));
    const { call } = callsOn(storage);
    const admin = await authenticator.authenticateKey(adminKey, HERE);
    const create = async (body: KeyCreate, as: Principal = admin) =>
      (await routes['keys.create'](call(as, { body }))).data;
    const revoke = async (id: string, as: Principal = admin) =>
      (await routes['keys.revoke'](call(as, { params: { id } }))).data;
    const list = (query: { page?: number; per_page?: number } = {}, as: Principal = admin) =>
      routes['keys.list'](call(as, { query }));
    return { storage, authenticator, other, admin, create, revoke, list };
  }

  it('creates a key that works, is shown once and kept nowhere', async () => {
    const ground = await engine.ground();
    const { storage, authenticator, create, list, admin } = await start({ ...engine, ground: async () => ground });
    const created = await create({ name: 'ci', permissions: ['templates:read', 'account:read'] });
    expect(created).toMatchObject({
      name: 'ci',
      expires_at: null,
      allowed_cidrs: [],
      revoked_at: null,
      last_used_at: null,
    });
    expect(created.prefix).toBe(created.key.slice(0, 12));
    const principal = await authenticator.authenticateKey(created.key, HERE);
    expect(principal).toMatchObject({ kind: 'key', id: created.id, permissions: ['templates:read', 'account:read'] });
    expect(principal).toMatchObject({ userId: (admin as { userId: string }).userId });
    const { data, pagination } = await list();
    expect(data.map((key) => key.name)).toEqual(['ci', 'first key']);
    expect(pagination.total).toBe(2);
    expect(JSON.stringify(data)).not.toContain(created.key);
    const rows = [
      await storage.reader.db.selectFrom('api_keys').selectAll().execute(),
      await storage.reader.db.selectFrom('events').selectAll().execute(),
    ];
    expect(JSON.stringify(rows)).not.toContain(created.key);
    for (const name of readdirSync(ground.directory).filter((file) => file.startsWith('hortus.db'))) {
      expect(readFileSync(join(ground.directory, name)).includes(created.key)).toBe(false);
    }
  });

  it('gives no permission that its maker lacks', async () => {
    const { authenticator, create } = await start();
    const { key } = await create({ name: 'small', permissions: ['account:write', 'templates:read'] });
    const small = await authenticator.authenticateKey(key, HERE);
    await create({ name: 'smaller', permissions: ['templates:read'] }, small);
    for (const permission of ['admin', 'definitions:write'] as const) {
      const trying = create({ name: 'bigger', permissions: ['templates:read', permission] }, small);
      await expect(trying).rejects.toMatchObject({ code: 'FORBIDDEN', details: { permission } });
    }
  });

  it('refuses an expiry in the past and what is not a network, by field', async () => {
    const { create, list } = await start();
    const make = (given: Partial<KeyCreate>) => create({ name: 'x', permissions: ['templates:read'], ...given });
    for (const expires_at of ['2001-01-01T00:00:00Z', new Date(Date.now() - 1000).toISOString(), 'soon']) {
      await expect(make({ expires_at })).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        details: { field: 'expires_at' },
      });
    }
    for (const cidr of ['everywhere', '10.0.0.0/33', '010.0.0.1/8']) {
      const making = make({ allowed_cidrs: ['10.0.0.0/8', cidr] });
      await expect(making).rejects.toMatchObject({ details: { field: 'allowed_cidrs' } });
    }
    expect((await list()).data).toHaveLength(1);
    const made = await make({ expires_at: '2999-01-01T00:00:00+01:00', allowed_cidrs: ['10.1.2.3/8', '2001:db8::'] });
    expect(made.expires_at).toBe('2998-12-31T23:00:00.000Z');
    expect(made.allowed_cidrs).toEqual(['10.0.0.0/8', '2001:db8::/128']);
  });

  it('revokes a key at once on every replica, and stays calm when asked again', async () => {
    const { storage, authenticator, other, create, revoke } = await start();
    const { id, key } = await create({ name: 'ci', permissions: ['templates:read'] });
    await authenticator.authenticateKey(key, HERE);
    await other.authenticator.authenticateKey(key, HERE);
    const revoked = await revoke(id);
    expect(revoked.revoked_at).not.toBeNull();
    await expect(authenticator.authenticateKey(key, HERE)).rejects.toMatchObject(unauthorized);
    await until(() => other.authenticator.fromCache(`Bearer ${key}`, HERE) === undefined, {
      describe: 'the other replica to hear of it',
    });
    await expect(other.authenticator.authenticateKey(key, HERE)).rejects.toMatchObject(unauthorized);
    expect(await revoke(id)).toEqual(revoked);
    const events = await storage.reader.db.selectFrom('events').select('type').where('resource_id', '=', id).execute();
    expect(events.map((event) => event.type).sort()).toEqual(['audit.key_created', 'audit.key_revoked']);
  });

  it('shows and revokes only keys of its own account', async () => {
    const { create, revoke, list, admin } = await start();
    const { id } = await create({ name: 'ci', permissions: ['templates:read'] });
    const stranger = { ...admin, accountId: 'acc_other' };
    await expect(revoke(id, stranger)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(revoke('key_nothing')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await list({}, stranger)).data).toEqual([]);
    const page = await list({ page: 2, per_page: 1 });
    expect(page.data.map((key) => key.name)).toEqual(['first key']);
    expect(page.pagination).toEqual({ page: 2, per_page: 1, total: 2, total_pages: 2 });
  });
});
