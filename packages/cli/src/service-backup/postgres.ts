import { spawn } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Failure } from '../failure.ts';

/** Passes the address in the environment, because other users can read arguments. */
function environmentOf(url: string): Record<string, string> {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url);
  return {
    PATH: process.env.PATH ?? '',
    PGHOST: searchParams.get('host') ?? decodeURIComponent(hostname),
    ...(port !== '' && { PGPORT: port }),
    PGUSER: decodeURIComponent(username),
    PGPASSWORD: decodeURIComponent(password),
    PGDATABASE: decodeURIComponent(pathname.slice(1)),
    ...(searchParams.has('sslmode') && { PGSSLMODE: searchParams.get('sslmode') ?? '' }),
  };
}

/** Finds the newest installed version, because an older one refuses a newer server. */
function program(name: string): string {
  const debian = globSync(`/usr/lib/postgresql/*/bin/${name}`).sort((a, b) => versionOf(b) - versionOf(a));
  const others = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name));
  const found = [...debian, ...others].find((path) => existsSync(path));
  if (!found) throw new Failure('missing', `${name} is not installed: apt-get install postgresql-client`);
  return found;
}
const versionOf = (path: string) => Number(/postgresql\/(\d+)/.exec(path)?.[1] ?? 0);

async function run(url: string, name: string, args: readonly string[]): Promise<string> {
  const child = spawn(program(name), args, { env: environmentOf(url), stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((done, fail) => child.once('error', fail).once('close', done));
  const [out, said, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (code !== 0) throw new Failure('failed', `${name} ended with ${code}: ${said.trim().split('\n').at(-1) ?? ''}`);
  return out;
}

/** Dumps a consistent snapshot: pg_dump reads in one transaction. */
export async function dumpPostgres(url: string, target: string): Promise<void> {
  await run(url, 'pg_dump', ['--format=custom', '--no-owner', '--no-privileges', `--file=${target}`]);
}

export async function clearPostgres(url: string, force: boolean): Promise<void> {
  const count = `select count(*) from information_schema.tables where table_schema = 'public'`;
  const tables = Number(await run(url, 'psql', ['-X', '-A', '-t', '-c', count]));
  if (tables > 0 && !force)
    throw new Failure('usage', `The database has ${tables} tables, which would be overwritten.`, {
      hint: 'Stop every replica, then use --force to overwrite them.',
    });
}

/** Restores in one transaction. */
export async function restorePostgres(url: string, dump: string, force: boolean): Promise<void> {
  const clean = force ? ['--clean', '--if-exists'] : [];
  const database = environmentOf(url).PGDATABASE ?? '';
  await run(url, 'pg_restore', ['--no-owner', '--single-transaction', ...clean, `--dbname=${database}`, dump]);
}
