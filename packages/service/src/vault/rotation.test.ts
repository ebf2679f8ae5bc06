import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Storage } from '../storage/storage.ts';
import { onDifferingEngines } from '../testing/engines.ts';
import { openVault, type Vault } from './vault.ts';

const newKey = () => randomBytes(32).toString('base64');
const accounts = Array.from({ length: 120 }, (_, i) => `acc_${String(i).padStart(3, '0')}`);

type Sealed = ReadonlyMap<string, string>;

const sealForAll = (storage: Storage, vault: Vault): Promise<Sealed> =>
  storage.write(async (tx) => {
    const sealed = new Map<string, string>();
    for (const account of accounts) sealed.set(account, await vault.encrypt(tx, account, `secret of ${account}`));
    return sealed;
  });

async function expectAllOpen(storage: Storage, vault: Vault, sealed: Sealed): Promise<void> {
  for (const [account, text] of sealed) {
    expect(await vault.decrypt(storage.reader, account, text)).toBe(`secret of ${account}`);
  }
}

const mastersOf = async (storage: Storage): Promise<string[]> => {
  const rows = await storage.reader.db.selectFrom('data_keys').select('master').distinct().execute();
  return rows.map((row) => row.master);
};

onDifferingEngines('concurrent rotations of replicas', (engine) => {
  const withKey = (storage: Storage, masterKey: string) => openVault(storage, { masterKey, dataDirectory: '/nowhere' });

  it('a start with new,old rewraps every data key; then the old master key can be removed and is refused', async () => {
    const storage = await engine.open();
    const [older, newer] = [newKey(), newKey()];
    const sealed = await sealForAll(storage, await withKey(storage, older));
    const [before] = await mastersOf(storage);
    await expect(withKey(storage, newer)).rejects.toThrow('HORTUS_MASTER_KEY');
    await expectAllOpen(storage, await withKey(storage, `${newer},${older}`), sealed);
    expect(await mastersOf(storage)).toHaveLength(1);
    expect(await mastersOf(storage)).not.toContain(before);
    await expect(withKey(storage, older)).rejects.toThrow('HORTUS_MASTER_KEY');
    const alone = await withKey(storage, newer);
    await expectAllOpen(storage, alone, sealed);
    expect((await alone.rotate()).rewrapped).toBe(0);
  });

  it('a data key that another replica wrapped under the old master key is not lost', async () => {
    const storage = await engine.open();
    const [older, newer] = [newKey(), newKey()];
    const behind = await withKey(storage, older);
    const ahead = await withKey(storage, `${newer},${older}`);
    const sealed = await sealForAll(storage, behind);
    await expect(withKey(storage, newer)).rejects.toThrow('HORTUS_MASTER_KEY');
    expect((await ahead.rotate()).rewrapped).toBe(accounts.length);
    await expectAllOpen(storage, await withKey(storage, newer), sealed);
  });

  it('requests are served during the rotation', async () => {
    const storage = await engine.open();
    const [older, newer] = [newKey(), newKey()];
    // Replicas with nothing in memory yet: each unwraps what it finds at the moment of its first request.
    const replicas = await Promise.all(accounts.slice(0, 10).map(() => withKey(storage, `${older},${newer}`)));
    const sealed = await sealForAll(storage, replicas[0] as Vault);
    const rotation = withKey(storage, `${newer},${older}`);
    const during = await Promise.all(
      accounts.map(async (account, i) => {
        const replica = replicas[i % replicas.length] as Vault;
        const text = await storage.write((tx) => replica.encrypt(tx, account, 'meanwhile'));
        expect(await replica.decrypt(storage.reader, account, text)).toBe('meanwhile');
        const before = sealed.get(account) as string;
        expect(await replica.decrypt(storage.reader, account, before)).toBe(`secret of ${account}`);
        return { account, text };
      }),
    );
    await rotation;
    const after = await withKey(storage, newer);
    await expectAllOpen(storage, after, sealed);
    for (const { account, text } of during)
      expect(await after.decrypt(storage.reader, account, text)).toBe('meanwhile');
  });

  it('the rotation continues after a crash at any statement', async () => {
    const crash = new Error('The process dies here.');
    let left = Number.POSITIVE_INFINITY;
    const storage = await engine.open({
      beforeStatement: () => {
        if (left-- <= 0) throw crash;
      },
    });
    let current = newKey();
    const sealed = await sealForAll(storage, await withKey(storage, current));
    for (const at of [0, 1, 2, 30, 51, 52, 53, 120, 123, 124]) {
      const next = newKey();
      left = at;
      const dying = withKey(storage, `${next},${current}`);
      await expect(dying).rejects.toBe(crash);
      left = Number.POSITIVE_INFINITY;
      await expectAllOpen(storage, await withKey(storage, `${next},${current}`), sealed);
      await expectAllOpen(storage, await withKey(storage, next), sealed);
      current = next;
    }
  });

  if (engine.name === 'sqlite')
    it('a rotation with a generated key survives a crash at any step', async () => {
      const crash = new Error('The process dies here.');
      let left = Number.POSITIVE_INFINITY;
      const testDatabase = await engine.testDatabase();
      const storage = await testDatabase.open({
        beforeStatement: () => {
          if (left-- <= 0) throw crash;
        },
      });
      const path = join(testDatabase.directory, 'master.key');
      const keysOnDisk = () => readFileSync(path, 'utf8').trim().split(',');
      const open = () => openVault(storage, { masterKey: undefined, dataDirectory: testDatabase.directory });
      let vault = await open();
      const sealed = await sealForAll(storage, vault);

      for (const at of [0, 1, 60, 123]) {
        const [old] = keysOnDisk();
        left = at;
        await expect(vault.rotate()).rejects.toBe(crash);
        left = Number.POSITIVE_INFINITY;
        expect(keysOnDisk()).toHaveLength(2);
        expect(keysOnDisk()[1]).toBe(old);
        // The surviving process still serves, and so does the next one, which finishes the rotation.
        await expectAllOpen(storage, vault, sealed);
        vault = await open();
        expect(keysOnDisk()).toHaveLength(1);
        expect(keysOnDisk()).not.toContain(old);
        await expectAllOpen(storage, vault, sealed);
      }

      // Dead between the last statement and the file: both keys are there, and all is wrapped by the first.
      const [old] = keysOnDisk();
      const rotation = await vault.rotate();
      expect(rotation.rewrapped).toBe(accounts.length);
      expect(await mastersOf(storage)).toEqual([rotation.fingerprint]);
      const [current] = keysOnDisk();
      writeFileSync(path, `${current},${old}\n`);
      // Dead while writing the file: a half-written draft lies about.
      writeFileSync(`${path}.draft`, 'half', { mode: 0o644 });
      vault = await open();
      expect(keysOnDisk()).toEqual([current]);
      await expectAllOpen(storage, vault, sealed);
    });

  if (engine.name === 'sqlite')
    it('concurrent rotations create one new key', async () => {
      const testDatabase = await engine.testDatabase();
      const storage = await testDatabase.open();
      const vault = await openVault(storage, { masterKey: undefined, dataDirectory: testDatabase.directory });
      const [rotation, two] = await Promise.all([vault.rotate(), vault.rotate()]);
      expect(rotation.fingerprint).toBe(two.fingerprint);
      expect((await vault.rotate()).fingerprint).not.toBe(rotation.fingerprint);
    });
});
