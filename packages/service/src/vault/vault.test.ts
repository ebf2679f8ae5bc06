import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Storage } from '../storage/storage.ts';
import { onDifferingEngines } from '../testing/engines.ts';
import { openVault } from './vault.ts';

const settings = { masterKey: randomBytes(32).toString('base64'), dataDirectory: '/nowhere' };
const failed = new Error('This transaction is meant to fail.');

onDifferingEngines('concurrent transactions', (engine) => {
  const opened = async (storage?: Storage) => {
    const on = storage ?? (await engine.open());
    return { storage: on, vault: await openVault(on, settings) };
  };

  it('sealed text can be opened in the same transaction, outside of it and after a restart', async () => {
    const { storage, vault } = await opened();
    const sealed = await storage.write(async (tx) => {
      const text = await vault.encrypt(tx, 'acc_a', 'grüße');
      expect(await vault.decrypt(tx, 'acc_a', text)).toBe('grüße');
      return text;
    });
    expect(sealed).toMatch(/^v1\.[\w-]{16}\.[\w-]+$/);
    expect(await vault.decrypt(storage.reader, 'acc_a', sealed)).toBe('grüße');
    const again = await openVault(storage, settings);
    expect(await again.decrypt(storage.reader, 'acc_a', sealed)).toBe('grüße');
  });

  it('sealing the same text twice gives different ciphertexts', async () => {
    const { storage, vault } = await opened();
    const seal = () => storage.write((tx) => vault.encrypt(tx, 'acc_a', 'same'));
    expect(await seal()).not.toBe(await seal());
  });

  it('a ciphertext that was changed or moved to another account or place is refused', async () => {
    const { storage, vault } = await opened();
    const sealed = await storage.write(async (tx) => {
      await vault.encrypt(tx, 'acc_b', 'gives account b a key');
      return await vault.encrypt(tx, 'acc_a', 'secret', 'def_1/PASSWORD');
    });
    const open = (accountId: string, text: string, context?: string) =>
      vault.decrypt(storage.reader, accountId, text, context);
    expect(await open('acc_a', sealed, 'def_1/PASSWORD')).toBe('secret');
    await expect(open('acc_b', sealed, 'def_1/PASSWORD')).rejects.toThrow('moved');
    await expect(open('acc_a', sealed, 'def_2/PASSWORD')).rejects.toThrow('moved');
    await expect(open('acc_a', sealed)).rejects.toThrow('moved');
    const middle = Math.floor(sealed.length - 10);
    const changed = sealed.slice(0, middle) + (sealed[middle] === 'A' ? 'B' : 'A') + sealed.slice(middle + 1);
    await expect(open('acc_a', changed, 'def_1/PASSWORD')).rejects.toThrow('changed');
    for (const broken of ['', 'v1', 'v1..', 'v2.a.b', `${sealed}.x`]) {
      await expect(open('acc_a', broken, 'def_1/PASSWORD')).rejects.toThrow('form');
    }
    await expect(open('acc_nobody', sealed)).rejects.toThrow('no data key');
  });

  it('the data key of a rolled-back transaction is dropped', async () => {
    const { storage, vault } = await opened();
    const lost = storage.write(async (tx) => {
      await vault.encrypt(tx, 'acc_a', 'one');
      await vault.encrypt(tx, 'acc_a', 'two');
      throw failed;
    });
    await expect(lost).rejects.toBe(failed);
    const sealed = await storage.write((tx) => vault.encrypt(tx, 'acc_a', 'kept'));
    const restarted = await openVault(storage, settings);
    expect(await restarted.decrypt(storage.reader, 'acc_a', sealed)).toBe('kept');
  });

  it('an account gets one data key, even if its first transactions run concurrently and some fail', async () => {
    const testDatabase = await engine.testDatabase();
    const item = await testDatabase.open();
    // SQLite belongs to one process; on PostgreSQL the second vault is another replica.
    const two = engine.name === 'postgres' ? await testDatabase.open() : item;
    const vaults = [await opened(item), await opened(two)];
    const attempts = Array.from({ length: 40 }, (_, i) => {
      const { storage, vault } = vaults[i % 2] as (typeof vaults)[number];
      return storage.write(async (tx) => {
        const sealed = await vault.encrypt(tx, 'acc_a', `secret ${i}`);
        if (i % 3 === 0) throw failed;
        return { i, sealed };
      });
    });
    const settled = await Promise.allSettled(attempts);
    const fresh = await openVault(item, settings);
    const sealed = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(sealed).toHaveLength(26);
    for (const { i, sealed: text } of sealed) {
      expect(await fresh.decrypt(item.reader, 'acc_a', text)).toBe(`secret ${i}`);
    }
  });

  it('the HMAC of a text is stable and per account, even before the account has a key', async () => {
    const { storage, vault } = await opened();
    const first = await vault.hmac(storage.reader, 'acc_a', 'body');
    expect(await storage.write((tx) => vault.hmac(tx, 'acc_a', 'body'))).toBe(first);
    expect(await (await openVault(storage, settings)).hmac(storage.reader, 'acc_a', 'body')).toBe(first);
    expect(await vault.hmac(storage.reader, 'acc_a', 'other body')).not.toBe(first);
    expect(await storage.write((tx) => vault.hmac(tx, 'acc_b', 'body'))).not.toBe(first);
  });

  it('the database contains neither secrets nor keys in plaintext', async () => {
    const testDatabase = await engine.testDatabase();
    const { storage, vault } = await opened(await testDatabase.open());
    const secret = `clear-${randomBytes(12).toString('hex')}`;
    await storage.write(async (tx) => {
      const sealed = await vault.encrypt(tx, 'acc_a', secret);
      await tx.db.insertInto('settings').values({ name: 'sealed', value: sealed }).execute();
    });
    const rows = JSON.stringify([
      await storage.reader.db.selectFrom('settings').selectAll().execute(),
      await storage.reader.db.selectFrom('data_keys').selectAll().execute(),
    ]);
    expect(rows).toContain('v1.');
    expect(rows).not.toContain(secret);
    expect(rows).not.toContain(settings.masterKey);
    const files = readdirSync(testDatabase.directory).filter((name) => name.startsWith('hortus.db'));
    expect(files.length > 0).toBe(engine.name === 'sqlite');
    for (const name of files) {
      const bytes = readFileSync(join(testDatabase.directory, name));
      expect(bytes.includes(secret)).toBe(false);
      expect(bytes.includes(settings.masterKey)).toBe(false);
      expect(bytes.includes(Buffer.from(settings.masterKey, 'base64'))).toBe(false);
    }
  });
});
