import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Failure } from '../failure.ts';

const places = (dataDirectory: string) => ({
  database: join(dataDirectory, 'hortus.db'),
  masterKey: join(dataDirectory, 'master.key'),
  lock: join(dataDirectory, 'hortus.lock'),
});

/** Copies a consistent snapshot in one read transaction, even during writes. */
export function copySqlite(dataDirectory: string, target: string): void {
  const { database } = places(dataDirectory);
  if (!existsSync(database)) throw new Failure('missing', `There is no database ${database}.`);
  const source = new DatabaseSync(database, { readOnly: true, timeout: 10_000 });
  try {
    source.prepare('vacuum into ?').run(target);
  } finally {
    source.close();
  }
}

export async function readMasterKey(dataDirectory: string): Promise<string | undefined> {
  return (await readFile(places(dataDirectory).masterKey, 'utf8').catch(() => undefined))?.trim();
}

export async function writeMasterKey(dataDirectory: string, key: string): Promise<string> {
  const { masterKey } = places(dataDirectory);
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 });
  await writeFile(`${masterKey}.draft`, `${key}\n`, { mode: 0o600, flush: true });
  await rename(`${masterKey}.draft`, masterKey);
  return masterKey;
}

/** Refuses a directory that a running service uses or that contains data. */
export async function clearSqlite(dataDirectory: string, force: boolean): Promise<void> {
  const { database, masterKey, lock } = places(dataDirectory);
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 });
  const held = new DatabaseSync(lock, { timeout: 0 });
  try {
    held.exec('begin exclusive');
  } catch {
    throw new Failure('usage', `A service is running on ${dataDirectory}; stop it first.`);
  } finally {
    held.close();
  }
  const there = [database, masterKey].filter(existsSync);
  if (there.length > 0 && !force)
    throw new Failure('usage', `${there.join(' and ')} would be overwritten.`, { hint: 'Use --force to replace it.' });
}

export async function putSqlite(dataDirectory: string, copy: string): Promise<void> {
  const { database } = places(dataDirectory);
  // The WAL of the old database must not be applied to the new one.
  for (const rest of ['-wal', '-shm']) await rm(`${database}${rest}`, { force: true });
  await rename(copy, database);
}
