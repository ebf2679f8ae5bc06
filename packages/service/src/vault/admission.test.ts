import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { onDifferingEngines } from '../testing/engines.ts';
import { openVault } from './vault.ts';

const newKey = () => randomBytes(32).toString('base64');

onDifferingEngines('services that start together', (engine) => {
  it('master keys are accepted in base64, base64url and hex, and otherwise refused with the name of the setting', async () => {
    const storage = await engine.open();
    const bytes = randomBytes(32);
    const open = (masterKey: string) => openVault(storage, { masterKey, dataDirectory: '/nowhere' });
    for (const text of [bytes.toString('base64'), bytes.toString('base64url'), bytes.toString('hex')]) await open(text);
    for (const text of ['short', randomBytes(31).toString('base64'), `${bytes.toString('hex')},`, 'x'.repeat(64)]) {
      await expect(open(text)).rejects.toThrow('HORTUS_MASTER_KEY');
    }
  });

  it('a master key that does not belong to the database is refused, and no key is shown', async () => {
    const storage = await engine.open();
    const [right, wrong] = [newKey(), newKey()];
    const open = (masterKey: string) => openVault(storage, { masterKey, dataDirectory: '/nowhere' });
    await open(right);
    const error = await open(wrong).catch((reason: Error) => reason);
    expect(String(error)).toContain('HORTUS_MASTER_KEY');
    expect(String(error)).not.toContain(right);
    expect(String(error)).not.toContain(wrong);
    await open(right);
  });

  it('of two services that start together on an empty database with different keys, one is refused', async () => {
    const storage = await engine.open();
    const open = () => openVault(storage, { masterKey: newKey(), dataDirectory: '/nowhere' });
    const results = await Promise.allSettled([open(), open()]);
    expect(results.map((result) => result.status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  if (engine.name === 'postgres')
    it('PostgreSQL requires a configured master key', async () => {
      const testDatabase = await engine.testDatabase();
      const opening = openVault(await testDatabase.open(), {
        masterKey: undefined,
        dataDirectory: testDatabase.directory,
      });
      await expect(opening).rejects.toThrow('HORTUS_MASTER_KEY must be set');
    });

  if (engine.name === 'sqlite')
    it('a generated key is created once, readable only by its owner', async () => {
      const testDatabase = await engine.testDatabase();
      const storage = await testDatabase.open();
      const path = join(testDatabase.directory, 'master.key');
      const open = () => openVault(storage, { masterKey: undefined, dataDirectory: testDatabase.directory });
      await open();
      const kept = readFileSync(path, 'utf8');
      expect(statSync(path).mode & 0o777).toBe(0o600);
      await open();
      expect(readFileSync(path, 'utf8')).toBe(kept);
      chmodSync(path, 0o640);
      await expect(open()).rejects.toThrow('chmod 600');
      chmodSync(path, 0o600);
      writeFileSync(path, newKey());
      await expect(open()).rejects.toThrow('wrong master key');
      rmSync(path);
      await expect(open()).rejects.toThrow('is missing');
      await openVault(storage, { masterKey: kept.trim(), dataDirectory: testDatabase.directory });
    });
});
