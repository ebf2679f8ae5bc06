import { execFile } from 'node:child_process';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@hortus/testkit/port';
import { type ProcessOptions, type RunningProcess, startProcess } from '@hortus/testkit/process';
import { cachedFolder } from '@hortus/testkit/test-cache';

const run = promisify(execFile);

/**
 * Installs a release of Ghost from npm into the cache. The package brings libraries of its own as archives, so it is unpacked and
 * installed in its folder, as its installer does. Runs no install scripts.
 */
const installedGhost = (version: string): Promise<string> =>
  cachedFolder(`ghost-${version}-${process.arch}`, async (draft) => {
    const { stdout } = await run('npm', ['pack', '--silent', `ghost@${version}`], { cwd: draft });
    await run('tar', ['--extract', '--strip-components=1', '--file', stdout.trim()], { cwd: draft });
    await rm(join(draft, stdout.trim()));
    const path = join(draft, 'package.json');
    const facts = JSON.parse(await readFile(path, 'utf8'));
    await writeFile(path, JSON.stringify({ ...facts, dependencies: widened(facts) }));
    const options = ['--ignore-scripts', '--omit=dev', '--legacy-peer-deps', '--no-package-lock', '--no-audit'];
    await run('npm', ['install', ...options], { cwd: draft, maxBuffer: 16 * 2 ** 20 });
  });

interface Facts {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly overrides?: Readonly<Record<string, string>>;
}

/**
 * Accepts later releases of its libraries, because mirrors of the registry lack some of those that it pins, and because its query
 * builder must be the same as that of its migrations. Names that it overrides stay pinned.
 */
const widened = ({ dependencies, overrides = {} }: Facts) =>
  Object.fromEntries(
    Object.entries(dependencies).map(([name, version]) => {
      const isPinned = !/^\d/.test(version) || Object.hasOwn(overrides, name);
      return [name, isPinned ? version : `^${version}`];
    }),
  );

/** Starts a database server without passwords on this machine; MariaDB stands for MySQL, which Debian lacks. */
export async function startMariadb(folder: string): Promise<{ server: RunningProcess; port: number }> {
  const user = process.getuid?.() === 0 ? ['--user=root'] : [];
  const common = ['--no-defaults', ...user, `--datadir=${folder}`];
  await run('mariadb-install-db', [...common, '--auth-root-authentication-method=normal', '--skip-test-db']);
  const port = await freePort();
  const socket = `--socket=${join(folder, 's')}`;
  const server = startProcess(['mariadbd', ...common, socket, `--port=${port}`, '--bind-address=127.0.0.1']);
  await server.waitForLine('ready for connections');
  return { server, port };
}

/** Starts Ghost with the environment of its container, but for what belongs to this machine: database, port and folder. */
export async function startGhost(
  version: string,
  env: Readonly<Record<string, string>>,
  { folder, database, port }: { folder: string; database: { port: number; name: string }; port: number },
): Promise<RunningProcess> {
  const program = await installedGhost(version);
  await cp(join(program, 'content'), folder, { recursive: true });
  const own: ProcessOptions['env'] = {
    database__connection__host: '127.0.0.1',
    database__connection__port: String(database.port),
    database__connection__database: database.name,
    database__connection__user: 'root',
    database__connection__password: undefined,
    server__host: '127.0.0.1',
    server__port: String(port),
    paths__contentPath: folder,
  };
  return startProcess([process.execPath, 'index.js'], { cwd: program, env: { ...env, ...own } });
}
