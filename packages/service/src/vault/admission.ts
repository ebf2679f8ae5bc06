import type { Storage } from '../storage/storage.ts';
import { MasterKeys, newMasterKey, parseMasterKeys } from './master-key.ts';
import { MasterKeyFile } from './master-key-file.ts';
import { cachedFingerprint, claimFingerprint, mastersInUse } from './store.ts';

export interface VaultSettings {
  /** HORTUS_MASTER_KEY, as given. */
  readonly masterKey: string | undefined;
  readonly dataDirectory: string;
}

export interface Admitted {
  readonly keys: MasterKeys;
  /** Present if the service itself manages the master key. */
  readonly file: MasterKeyFile | undefined;
}

const SETTING = 'HORTUS_MASTER_KEY';

/**
 * Finds the master key and compares it with the database. A service with the wrong key would look healthy and fail at
 * the first secret, so it must not start.
 */
export async function admitMasterKey(storage: Storage, settings: VaultSettings): Promise<Admitted> {
  const admitted = await find(storage, settings);
  await storage.write((tx) => claimFingerprint(tx, admitted.keys.current.fingerprint));
  const needed = new Set([await cachedFingerprint(storage.reader), ...(await mastersInUse(storage.reader))]);
  for (const fingerprint of needed) {
    if (fingerprint === undefined || admitted.keys.byFingerprint(fingerprint)) continue;
    const input = admitted.keys.all.map((key) => key.fingerprint).join(', ');
    const place = admitted.file ? `${admitted.file.path} (${SETTING} is not set)` : SETTING;
    throw new Error(
      `${place} contains the wrong master key: the secrets in this database need the key with the fingerprint ${fingerprint}, but the given one is ${input}. ` +
        `To change the master key, give both with the new one first: ${SETTING}=<new>,<old>`,
    );
  }
  return admitted;
}

async function find(storage: Storage, { masterKey, dataDirectory }: VaultSettings): Promise<Admitted> {
  if (masterKey) return { keys: new MasterKeys(parseMasterKeys(masterKey, SETTING)), file: undefined };
  if (storage.engine === 'postgres') {
    throw new Error(`${SETTING} must be set with PostgreSQL, the same on every replica: openssl rand -base64 32`);
  }
  const file = new MasterKeyFile(dataDirectory);
  const kept = file.read();
  if (kept) return { keys: new MasterKeys(kept), file };
  if ((await cachedFingerprint(storage.reader)) !== undefined || (await mastersInUse(storage.reader)).length > 0) {
    throw new Error(
      `${file.path} is missing, and the secrets in this database cannot be read without it: ` +
        `restore it, or set ${SETTING} to its key.`,
    );
  }
  const born = newMasterKey();
  // Write the file before anything is wrapped with the key.
  file.write([born]);
  return { keys: new MasterKeys([born]), file };
}
