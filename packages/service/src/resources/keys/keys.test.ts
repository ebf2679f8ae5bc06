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
    const routes = keyRoutes(new Keys({ storage, pages: new Pages(), requireRoom: async () => {}, mode: 'live' }));
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

  it('a created key works, is shown once and never stored', async () => {
    const testDatabase = await engine.testDatabase();
    const { storage, authenticator, create, list, admin } = await start({
      ...engine,
      testDatabase: async () => testDatabase,
    });
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
    for (const name of readdirSync(testDatabase.directory).filter((file) => file.startsWith('hortus.db'))) {
      expect(readFileSync(join(testDatabase.directory, name)).includes(created.key)).toBe(false);
    }
  });

  it('a key has no permission that its creator lacks', async () => {
    const { authenticator, create } = await start();
    const { key } = await create({ name: 'small', permissions: ['account:write', 'templates:read'] });
    const small = await authenticator.authenticateKey(key, HERE);
    await create({ name: 'smaller', permissions: ['templates:read'] }, small);
    for (const permission of ['admin', 'definitions:write'] as const) {
      const trying = create({ name: 'bigger', permissions: ['templates:read', permission] }, small);
      await expect(trying).rejects.toMatchObject({ code: 'FORBIDDEN', details: { permission } });
    }
  });

  it('an expiry in the past and invalid networks are refused by field', async () => {
    const { create, list } = await start();
    const make = (overrides: Partial<KeyCreate>) =>
      create({ name: 'x', permissions: ['templates:read'], ...overrides });
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

  it('revoking a key takes effect on every replica, and is idempotent', async () => {
    const { storage, authenticator, other, create, revoke } = await start();
    const { id, key } = await create({ name: 'ci', permissions: ['templates:read'] });
    await authenticator.authenticateKey(key, HERE);
    await other.authenticator.authenticateKey(key, HERE);
    const revoked = await revoke(id);
    expect(revoked.revoked_at).not.toBeNull();
    await expect(authenticator.authenticateKey(key, HERE)).rejects.toMatchObject(unauthorized);
    await until(() => other.authenticator.fromCache(`Bearer ${key}`, HERE) === undefined, {
      describe: 'the other replica to refuse the key',
    });
    await expect(other.authenticator.authenticateKey(key, HERE)).rejects.toMatchObject(unauthorized);
    expect(await revoke(id)).toEqual(revoked);
    const events = await storage.reader.db.selectFrom('events').select('type').where('resource_id', '=', id).execute();
    expect(events.map((event) => event.type).sort()).toEqual(['audit.key_created', 'audit.key_revoked']);
  });

  it('only keys of the own account can be listed and revoked', async () => {
    const { create, revoke, list, admin } = await start();
    const { id } = await create({ name: 'ci', permissions: ['templates:read'] });
    const outsider = { ...admin, accountId: 'acc_other' };
    await expect(revoke(id, outsider)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(revoke('key_nothing')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await list({}, outsider)).data).toEqual([]);
    const page = await list({ page: 2, per_page: 1 });
    expect(page.data.map((key) => key.name)).toEqual(['first key']);
    expect(page.pagination).toEqual({ page: 2, per_page: 1, total: 2, total_pages: 2 });
  });

  const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

  it('a key with an expiry cannot create one without, or one that outlives it', async () => {
    const { authenticator, create } = await start();
    const expires_at = inAnHour();
    const permissions = ['account:write' as const];
    const { key } = await create({ name: 'short', permissions, expires_at });
    const short = await authenticator.authenticateKey(key, HERE);
    for (const wanted of [null, new Date(Date.parse(expires_at) + 1).toISOString(), '2999-01-01T00:00:00Z']) {
      const trying = create({ name: 'long', permissions, expires_at: wanted }, short);
      await expect(trying).rejects.toMatchObject({ code: 'VALIDATION_ERROR', details: { field: 'expires_at' } });
    }
    const earlier = new Date(Date.parse(expires_at) - 1).toISOString();
    expect((await create({ name: 'shorter', permissions, expires_at: earlier }, short)).expires_at).toBe(earlier);
    expect((await create({ name: 'as short', permissions }, short)).expires_at).toBe(expires_at);
  });

  it('a key with networks cannot create one for other networks', async () => {
    const { authenticator, create } = await start();
    const permissions = ['account:write' as const];
    const allowed_cidrs = ['192.0.2.0/24', '2001:db8::/32'];
    const { key } = await create({ name: 'office', permissions, allowed_cidrs });
    const office = await authenticator.authenticateKey(key, HERE);
    for (const cidrs of [
      [],
      ['0.0.0.0/0'],
      ['192.0.2.0/23'],
      ['192.0.2.1', '203.0.113.1'],
      ['2001:db8::/31'],
      ['::/0'],
    ]) {
      const trying = create({ name: 'anywhere', permissions, allowed_cidrs: cidrs }, office);
      await expect(trying, cidrs.join()).rejects.toMatchObject({ details: { field: 'allowed_cidrs' } });
    }
    const inside = ['192.0.2.128/25', '2001:db8:1::/48'];
    expect((await create({ name: 'desk', permissions, allowed_cidrs: inside }, office)).allowed_cidrs).toEqual(inside);
    expect((await create({ name: 'same', permissions }, office)).allowed_cidrs).toEqual(allowed_cidrs);
  });

  it('limits also hold for keys created by created keys', async () => {
    const { authenticator, create } = await start();
    const limits = { permissions: ['account:write' as const], expires_at: inAnHour(), allowed_cidrs: ['192.0.2.0/24'] };
    let maker = await authenticator.authenticateKey((await create({ name: 'first', ...limits })).key, HERE);
    for (const name of ['second', 'third']) {
      const child = await create({ name, permissions: limits.permissions }, maker);
      expect(child).toMatchObject({ expires_at: limits.expires_at, allowed_cidrs: limits.allowed_cidrs });
      maker = await authenticator.authenticateKey(child.key, HERE);
    }
  });

  it('only a key that could have created a key may revoke it', async () => {
    const { authenticator, create, revoke, list } = await start();
    const as = async (body: Omit<KeyCreate, 'name'>) => {
      const { id, key } = await create({ name: 'reviser', ...body });
      return { id, principal: await authenticator.authenticateKey(key, HERE) };
    };
    const permissions = ['account:write' as const];
    const few = await as({ permissions });
    const short = await as({ permissions, expires_at: inAnHour() });
    const office = await as({ permissions, allowed_cidrs: ['192.0.2.0/24'] });
    const more = await create({ name: 'more', permissions: ['account:write', 'templates:read'] });
    const first = (await list()).data.find(({ name }) => name === 'first key')?.id ?? '';
    const refused: [Principal, string][] = [
      [few.principal, first],
      [few.principal, more.id],
      [short.principal, few.id],
      [short.principal, office.id],
      [office.principal, few.id],
      [office.principal, short.id],
    ];
    for (const [principal, id] of refused)
      await expect(revoke(id, principal)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect((await list()).data.every(({ revoked_at }) => revoked_at === null)).toBe(true);
    for (const id of [short.id, office.id, few.id]) expect((await revoke(id, few.principal)).revoked_at).not.toBeNull();
  });
});
