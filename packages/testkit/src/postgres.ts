import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { endingWithParent } from './orphan.ts';
import { freePort } from './port.ts';
import { findPostgresBinaries } from './postgres-binaries.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { type OsUser, unprivilegedUser } from './unprivileged-user.ts';
import { until } from './until.ts';

export type PostgresOptions = {
  /** Flush to disk as in production. Without it the server is faster and still survives a kill of its process. */
  fsync?: boolean;
  /** Additional settings of postgresql.conf. */
  settings?: Record<string, string>;
};

export type Postgres = AsyncDisposable & {
  /** URL of the database `postgres` over TCP on 127.0.0.1; unchanged by a restart. */
  readonly url: string;
  /** Ends the server and removes its data. */
  stop(): Promise<void>;
  /** Restarts on the same data; `immediate` skips the checkpoint, as after a crash. Also restarts a killed server. */
  restart(options?: { immediate?: boolean }): Promise<void>;
  /** SIGKILL; the data stays, `restart()` recovers it. */
  kill(): Promise<void>;
};

/** Starts a separate PostgreSQL server with fresh data and a free port. It ends with this process. */
export async function startPostgres(options: PostgresOptions = {}): Promise<Postgres> {
  const binaries = findPostgresBinaries();
  if (binaries === undefined) throw new Error('PostgreSQL is not installed; run: apt-get install -y postgresql');
  const user = unprivilegedUser();
  // A database has some 700 files. Creating and removing hundreds of databases takes ext4 minutes of processor, because
  // it avoids inodes that were removed recently.
  const folder = temporaryFolder('postgres', { inMemory: !options.fsync });
  if (user) chownSync(folder.path, user.uid, user.gid);
  chmodSync(folder.path, 0o700);
  const data = join(folder.path, 'data');
  const log = join(folder.path, 'log');
  let server: ChildProcess | undefined;

  const run = (command: string, args: string[]) =>
    launch(endingWithParent([join(binaries, command), ...args], 'SIGINT'), log, user);

  const end = async (signal: NodeJS.Signals) => {
    if (server === undefined) return;
    const ending = server;
    server = undefined;
    if (ending.exitCode !== null || ending.signalCode !== null) return;
    const timeout = setTimeout(() => ending.kill('SIGKILL'), 20_000);
    ending.kill(signal);
    await once(ending, 'exit');
    clearTimeout(timeout);
  };

  const port = await freePort();
  const url = `postgres://hortus@127.0.0.1:${port}/postgres`;
  const begin = async () => {
    const settings = { ...standardSettings, ...(options.fsync ? {} : withoutFsync), ...options.settings };
    const args = Object.entries({ ...settings, port: String(port), unix_socket_directories: folder.path });
    // After a kill the old backends need a moment to end; until then a new server refuses to share their memory.
    await until(
      async () => {
        if (server === undefined || server.exitCode !== null || server.signalCode !== null) {
          server = run('postgres', ['-D', data, ...args.flatMap(([name, value]) => ['-c', `${name}=${value}`])]);
        }
        return await accepts(url);
      },
      { every: 20, describe: () => `PostgreSQL to accept connections; its log:\n${tail(log)}` },
    );
  };

  const stop = async () => {
    await end('SIGINT');
    await folder.remove();
  };

  try {
    const created = run('initdb', ['-D', data, ...initdbOptions]);
    await once(created, 'exit');
    if (created.exitCode !== 0) throw new Error(`initdb failed:\n${tail(log)}`);
    await begin();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url,
    stop,
    restart: async ({ immediate = false } = {}) => {
      await end(immediate ? 'SIGQUIT' : 'SIGINT');
      await begin();
    },
    kill: () => end('SIGKILL'),
    [Symbol.asyncDispose]: stop,
  };
}

const initdbOptions = [
  ...['--username', 'hortus', '--auth', 'trust', '--encoding', 'UTF8', '--no-sync', '--no-instructions'],
  // A language's sort order, as on most real servers and unlike SQLite, reveals code that depends on byte order.
  ...['--locale', 'C.UTF-8', '--locale-provider', 'icu', '--icu-locale', 'en-US'],
];

const standardSettings: Record<string, string> = {
  listen_addresses: '127.0.0.1',
  max_connections: '200',
  shared_buffers: '16MB',
  max_wal_size: '256MB',
  log_min_messages: 'fatal',
  log_min_error_statement: 'panic',
};

// synchronous_commit stays on: a killed server then loses nothing that it acknowledged; only a crash of the machine
// could.
const withoutFsync: Record<string, string> = { fsync: 'off', full_page_writes: 'off' };

function launch(argv: string[], log: string, user: OsUser | undefined): ChildProcess {
  const [command, ...args] = argv as [string, ...string[]];
  // A file, not a pipe, so that the server never waits for a busy test process to read its log.
  const output = openSync(log, 'a');
  try {
    // Detached from the terminal: Ctrl-C would end the database before the tests that use it.
    return spawn(command, args, { ...user, cwd: '/', stdio: ['ignore', output, output], detached: true });
  } finally {
    closeSync(output);
  }
}

async function accepts(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  // Without a listener, a connection closed during start-up would end the test process.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } finally {
    await client.end().catch(() => {});
  }
}

function tail(log: string): string {
  return readFileSync(log, 'utf8').split('\n').slice(-30).join('\n');
}
