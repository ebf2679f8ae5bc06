import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { command } from '../command.ts';
import { Failure } from '../failure.ts';
import { printJson } from '../output/json.ts';
import { readArchive, readHeader, writeArchive } from '../service-backup/archive.ts';
import { clearPostgres, dumpPostgres, restorePostgres } from '../service-backup/postgres.ts';
import { clearSqlite, copySqlite, putSqlite, readMasterKey, writeMasterKey } from '../service-backup/sqlite.ts';

const where = {
  'data-dir': { type: 'string', value: 'folder', about: 'Data directory of the service; HORTUS_DATA_DIR, or .hortus.' },
  'database-url': { type: 'string', value: 'url', about: 'PostgreSQL of the service; HORTUS_DATABASE_URL.' },
  'passphrase-file': { type: 'string', value: 'file', about: 'The file is encrypted to the passphrase in it.' },
  force: { type: 'boolean', about: 'Replace what is there.' },
} as const;

/** Runs on the machine of the service, without it: what it needs is the database and the key. */
export const backupService = command({
  name: 'backup-service',
  summary: 'Save the database and the master key of a service',
  about: 'The service may go on running meanwhile. Whoever has the file and its passphrase has every secret in it.',
  options: { ...where, out: { type: 'string', value: 'file', about: 'Where to write it. Required.' } },
  examples: [
    ['hortus backup-service --data-dir .hortus --out hortus.backup', 'Of the embedded database.'],
    ['hortus backup-service --out hortus.backup --passphrase-file secret.txt', 'Encrypted to a passphrase.'],
  ],
  async run({ options, json, world }) {
    const { dataDirectory, databaseUrl } = placesOf(options, world.env);
    if (options.out === undefined) throw new Failure('usage', 'Say where to write it: --out FILE');
    const out = resolve(options.out);
    if (existsSync(out) && !options.force)
      throw new Failure('usage', `${out} is there already.`, { hint: 'Use --force to replace it.' });
    const masterKey = world.env.HORTUS_MASTER_KEY ?? (await readMasterKey(dataDirectory));
    if (!masterKey) {
      const hint = `Set HORTUS_MASTER_KEY, or name the folder with master.key by --data-dir.`;
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
  summary: 'Put a saved service back',
  about: 'The service must not be running. What is there already is replaced only with --force.',
  args: ['file'],
  options: where,
  examples: [['hortus restore-service hortus.backup --data-dir .hortus', 'Into an empty data directory.']],
  async run({ args, options, json, world }) {
    const { dataDirectory, databaseUrl } = placesOf(options, world.env);
    const file = resolve(args.file);
    const { engine, created_at } = (await readHeader(file)).header;
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
      const key = await readArchive(file, database, await passphraseIn(options['passphrase-file']));
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
