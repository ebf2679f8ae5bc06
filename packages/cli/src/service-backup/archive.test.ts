import { createCipheriv, scryptSync } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { beforeAll, expect, it } from 'vitest';
import { readArchive, writeArchive } from './archive.ts';

const PASSPHRASE = 'correct horse battery';
const masterKey = 'the master key of the service';
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let number = 0;

beforeAll(async () => {
  folder = await temporaryFolder();
  await writeFile(join(folder.path, 'database'), 'the database');
  return () => folder[Symbol.asyncDispose]();
});

const written = async (passphrase: string | undefined) => {
  const path = join(folder.path, `${++number}.backup`);
  await writeArchive(path, { engine: 'sqlite', masterKey, database: join(folder.path, 'database') }, passphrase);
  return path;
};
const read = (path: string, passphrase: string | undefined) =>
  readArchive(path, join(folder.path, `restored-${++number}`), passphrase);
const changed = async (path: string, from: string, to: string) => {
  const bytes = (await readFile(path)).toString('latin1');
  expect(bytes).toContain(from);
  await writeFile(path, Buffer.from(bytes.replace(from, to), 'latin1'));
  return path;
};

it('a plain archive in the place of an encrypted one is refused if a passphrase is given', async () => {
  const path = await written(undefined);
  await expect(read(path, PASSPHRASE)).rejects.toThrow('is not encrypted, although a passphrase is given');
  expect((await read(path, undefined)).masterKey).toBe(masterKey);
});

it('a changed header, or one of the first format, does not open an encrypted archive', async () => {
  expect(await read(await written(PASSPHRASE), PASSPHRASE)).toMatchObject({ masterKey, header: { engine: 'sqlite' } });
  for (const [from, to] of [
    ['"sqlite"', '"postgres"'],
    ['"created_at":"2', '"created_at":"1'],
    ['HORTUS-BACKUP 2', 'HORTUS-BACKUP 1'],
    ['{"engine"', '{ "engine"'],
  ] as const) {
    const path = await changed(await written(PASSPHRASE), from, to);
    await expect(read(path, PASSPHRASE)).rejects.toThrow('it is damaged, or the passphrase is wrong');
  }
  const stripped = await changed(await written(PASSPHRASE), '"encryption":', '"encrypted_":');
  await expect(read(stripped, PASSPHRASE)).rejects.toThrow('is not a backup of a Hortus service');
});

it('an encrypted archive of the first format, whose header is not authenticated, is still restored', async () => {
  const [salt, nonce] = ['ab'.repeat(16), 'cd'.repeat(12)];
  const header = { engine: 'sqlite', created_at: '2026-01-01T00:00:00.000Z', encryption: { salt, nonce } };
  const key = scryptSync(PASSPHRASE, Buffer.from(salt, 'hex'), 32, { N: 2 ** 15, r: 8, p: 1, maxmem: 2 ** 26 });
  const cipher = createCipheriv('aes-256-gcm', key, Buffer.from(nonce, 'hex'));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(masterKey.length);
  const body = gzipSync(Buffer.concat([length, Buffer.from(masterKey), Buffer.from('the database')]));
  const head = Buffer.from(`HORTUS-BACKUP 1\n${JSON.stringify(header)}\n`);
  const path = join(folder.path, 'first.backup');
  await writeFile(path, Buffer.concat([head, cipher.update(body), cipher.final(), cipher.getAuthTag()]));
  expect((await read(path, PASSPHRASE)).masterKey).toBe(masterKey);
});
