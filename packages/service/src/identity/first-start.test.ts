import { expect, it } from 'vitest';
import { onDifferingEngines } from '../testing/engines.ts';
import { ensureFirstAccount, type FirstStartDeps, renewFirstLink } from './first-start.ts';
import { Passwords } from './passwords.ts';
import { deleteFirstLink } from './store.ts';
import { hashOf } from './tokens.ts';

onDifferingEngines('replicas that start together', (engine) => {
  const settings = {
    passwords: new Passwords(),
    mode: 'live',
    adminKey: undefined,
    adminEmail: 'Admin@localhost',
    adminPassword: undefined,
  } satisfies Omit<FirstStartDeps, 'storage'>;

  it('the first start creates account, owner and key once, and prints what it generated', async () => {
    const storage = await engine.open();
    const made = await ensureFirstAccount({ ...settings, storage });
    expect(made?.generatedKey).toMatch(/^hk_live_[\w-]{43}$/);
    const { db } = storage.reader;
    const [account, user, key] = [
      await db.selectFrom('accounts').selectAll().executeTakeFirstOrThrow(),
      await db.selectFrom('users').selectAll().executeTakeFirstOrThrow(),
      await db.selectFrom('api_keys').selectAll().executeTakeFirstOrThrow(),
    ];
    expect(account).toMatchObject({ id: made?.accountId, plan: 'enterprise' });
    expect(user).toMatchObject({ account_id: account.id, email: 'admin@localhost', role: 'owner', admin: 1 });
    expect(key).toMatchObject({ hash: hashOf(made?.generatedKey as string), permissions: '["admin"]' });
    expect(await settings.passwords.verify(made?.generatedPassword as string, user.password_hash)).toBe(true);
    expect(await ensureFirstAccount({ ...settings, storage })).toBeUndefined();
  });

  it('the first start does not print configured secrets', async () => {
    const overrides = { adminKey: `hk_live_${'k'.repeat(32)}`, adminPassword: 'a long password' };
    const made = await ensureFirstAccount({ ...settings, ...overrides, storage: await engine.open() });
    expect(made).toMatchObject({ generatedKey: undefined, generatedPassword: undefined });
  });

  it('the link of the first start is renewed until it is used', async () => {
    const storage = await engine.open();
    expect(await renewFirstLink(storage)).toBeUndefined();
    const made = await ensureFirstAccount({ ...settings, storage });
    const token = await renewFirstLink(storage);
    const links = () => storage.reader.db.selectFrom('password_resets').selectAll().execute();
    expect(await links()).toMatchObject([{ hash: hashOf(token as string) }]);
    expect(token).not.toBe(made?.linkToken);
    const [link] = await links();
    await storage.write((tx) => deleteFirstLink(tx, link?.user_id as string));
    expect(await renewFirstLink(storage)).toBeUndefined();
    expect(await links()).toEqual([]);
  });

  it('replicas that start together create one account', async () => {
    const testDatabase = await engine.testDatabase();
    const item = await testDatabase.open();
    const two = engine.name === 'postgres' ? await testDatabase.open() : item;
    const made = await Promise.all([item, two, item].map((storage) => ensureFirstAccount({ ...settings, storage })));
    expect(made.filter((result) => result !== undefined)).toHaveLength(1);
    expect(await item.reader.db.selectFrom('accounts').selectAll().execute()).toHaveLength(1);
    expect(await item.reader.db.selectFrom('api_keys').selectAll().execute()).toHaveLength(1);
  });

  it('the first start refuses an invalid setting with its name', async () => {
    const storage = await engine.open();
    const start = (overrides: Partial<FirstStartDeps>) => ensureFirstAccount({ ...settings, storage, ...overrides });
    for (const adminKey of ['secret', `hk_test_${'k'.repeat(43)}`, `hs_live_${'k'.repeat(43)}`, 'hk_live_short']) {
      await expect(start({ adminKey })).rejects.toThrow('HORTUS_ADMIN_KEY');
    }
    await expect(start({ adminPassword: 'short' })).rejects.toThrow('HORTUS_ADMIN_PASSWORD');
    await expect(start({ adminEmail: 'no-address' })).rejects.toThrow('HORTUS_ADMIN_EMAIL');
    expect(await storage.reader.db.selectFrom('accounts').selectAll().execute()).toHaveLength(0);
  });
});
