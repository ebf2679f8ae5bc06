import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { command } from '../command-line/command.ts';
import { Failure } from '../failure.ts';
import { printJson } from '../output/json.ts';
import { readArchive, readHeader, requireEncryption, writeArchive } from '../service-backup/archive.ts';
import { clearPostgres, dumpPostgres, restorePostgres } from '../service-backup/postgres.ts';
import { clearSqlite, copySqlite, putSqlite, readMasterKey, writeMasterKey } from '../service-backup/sqlite.ts';

const where = {
  'data-dir': { type: 'string', value: 'folder', about: 'Data directory of the service; HORTUS_DATA_DIR, or .hortus.' },
  'database-url': { type: 'string', value: 'url', about: 'PostgreSQL of the service; HORTUS_DATABASE_URL.' },
  'passphrase-file': { type: 'string', value: 'file', about: 'File with the passphrase that encrypts the backup.' },
  force: { type: 'boolean', about: 'Overwrite existing data.' },
} as const;

/** Runs on the service's machine and reads its database and key directly, so the service may be down. */
export const backupService = command({
  name: 'backup-service',
  summary: 'Back up the database and the master key of a service',
  about: 'The service can keep running. The file and its passphrase together give access to every secret.',
  options: { ...where, out: { type: 'string', value: 'file', about: 'File to write. Required.' } },
  examples: [
    ['hortus backup-service --data-dir .hortus --out hortus.backup', 'Backs up the embedded database.'],
    ['hortus backup-service --out hortus.backup --passphrase-file secret.txt', 'Encrypts with a passphrase.'],
  ],
  async run({ options, json, world }) {
    const { dataDirectory, databaseUrl } = placesOf(options, world.env);
    if (options.out === undefined) throw new Failure('usage', 'Name the file to write with --out');
    const out = resolve(options.out);
    if (existsSync(out) && !options.force)
      throw new Failure('usage', `${out} already exists.`, { hint: 'Use --force to replace it.' });
    const masterKey = world.env.HORTUS_MASTER_KEY ?? (await readMasterKey(dataDirectory));
    if (!masterKey) {
      const hint = `Set HORTUS_MASTER_KEY, or name the folder of master.key with --data-dir.`;
      throw new Failure('missing', `There is no master key in ${dataDirectory}.`, { hint });
    }
    const passphrase = await passphraseIn(options['passphrase-file']);
    const folder = await mkdtemp(join(dirname(out), '.hortus-backup-'));
    try {
      const database = join(folder, 'database');
      const engine = databaseUrl === undefined ? 'sqlite' : 'postgres';
      if (databaseUrl === undefined) copySqlite(dataDirectory, database);
      else await dumpPostgres(databaseUrl, database);
      await writeArchive(out, { engine, masterKey, database }, passphrase);
      const { size } = await stat(out);
      const encrypted = passphrase !== undefined;
      if (json) printJson(world.terminal, { file: out, engine, size, encrypted });
      else world.terminal.out(`${out}: ${size} bytes, ${engine}, ${encrypted ? 'encrypted' : 'NOT encrypted'}\n`);
      return 'ok';
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
});

export const restoreService = command({
  name: 'restore-service',
  summary: 'Restore a service from a backup',
  about: 'The service must not be running. Existing data is replaced only with --force.',
  args: ['file'],
  options: where,
  examples: [['hortus restore-service hortus.backup --data-dir .hortus', 'Into an empty data directory.']],
  async run({ args, options, json, world }) {
    const { dataDirectory, databaseUrl } = placesOf(options, world.env);
    const file = resolve(args.file);
    const passphrase = await passphraseIn(options['passphrase-file']);
    const { header } = await readHeader(file);
    // Before anything is cleared; the archive is checked again while it is read.
    requireEncryption(file, header, passphrase);
    const { engine, created_at } = header;
    if ((engine === 'postgres') !== (databaseUrl !== undefined)) {
      const hint = engine === 'postgres' ? 'Give --database-url.' : 'Leave --database-url and HORTUS_DATABASE_URL out.';
      throw new Failure('usage', `This is a backup of ${engine}.`, { hint });
    }
    if (databaseUrl === undefined) await clearSqlite(dataDirectory, options.force);
    else await clearPostgres(databaseUrl, options.force);
    await mkdir(dataDirectory, { recursive: true, mode: 0o700 });
    const folder = await mkdtemp(join(dataDirectory, '.restore-'));
    try {
      const database = join(folder, 'database');
      const { header: verified, masterKey: key } = await readArchive(file, database, passphrase);
      if (verified.engine !== engine) throw new Failure('failed', `${file} changed while it was read.`);
      if (databaseUrl === undefined) await putSqlite(dataDirectory, database);
      else await restorePostgres(databaseUrl, database, options.force);
      const keyFile = await writeMasterKey(dataDirectory, key);
      if (json) printJson(world.terminal, { engine, created_at, master_key_file: keyFile });
      else world.terminal.out(restored(engine, created_at, keyFile));
      return 'ok';
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
});

const restored = (engine: string, at: string, keyFile: string): string =>
  `Restored the ${engine} service of ${at}. Its master key is in ${keyFile}${
    engine === 'postgres' ? '; give it to every replica as HORTUS_MASTER_KEY' : ''
  }.\n`;

function placesOf(
  options: { 'data-dir': string | undefined; 'database-url': string | undefined },
  env: Readonly<Record<string, string | undefined>>,
): { dataDirectory: string; databaseUrl: string | undefined } {
  const databaseUrl = options['database-url'] ?? (env.HORTUS_DATABASE_URL || undefined);
  if (databaseUrl !== undefined && !URL.canParse(databaseUrl))
    throw new Failure('usage', '--database-url must be an address such as postgres://user@host/hortus');
  return { dataDirectory: resolve(options['data-dir'] ?? env.HORTUS_DATA_DIR ?? '.hortus'), databaseUrl };
}

async function passphraseIn(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const passphrase = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (passphrase.length < 8) throw new Failure('usage', `${file} must hold a passphrase of at least 8 characters.`);
  return passphrase;
}
