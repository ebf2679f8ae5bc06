import { hkdfSync } from 'node:crypto';
import { join } from 'node:path';
import { type Client, createClient } from '@hortus/client/client';
import { permissionNames } from '@hortus/contract/permissions';
import type { Event } from '@hortus/contract/resources/events';
import { writeAgent } from '@hortus/testkit/agent-folder';
import { until } from '@hortus/testkit/until';
import { type App, buildApp } from '../app.ts';
import { type Config, readConfig } from '../config/config.ts';
import { Passwords } from '../identity/passwords.ts';
import { insertAccount, insertFirstLink, insertKey, insertUser } from '../identity/store.ts';
import { newSessionToken, newUserKey, tokenOf } from '../identity/tokens.ts';
import { hasUntold } from '../outbox/store.ts';
import { openLog } from '../process/log.ts';
import { newId } from '../records/ids.ts';
import { openStorage } from '../storage/open.ts';
import { updateState } from '../storage/status-columns.ts';
import type { Storage, StorageHooks, Tx } from '../storage/storage.ts';
import type { NewRow } from '../storage/tables.ts';
import { sharedCatalog } from './catalog-folder.ts';
import { openDirectDatabase } from './direct-database.ts';
import type { Engine, TestDatabase } from './engines.ts';
import { delayedIfAsked } from './late-commits.ts';
import { sharedWork } from './shared-work.ts';

export interface Options {
  readonly body?: unknown;
  /** Raw text, sent instead of `body`. */
  readonly raw?: string;
  /** Null sends no key; by default the caller's own. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly json: any;
}

/** A client of the service with its own key. */
export interface Caller {
  /** Address of the service; ends with the version segment. */
  readonly base: string;
  readonly accountId: string;
  readonly key: string;
  /** Typed calls that throw errors and do not retry. */
  readonly client: Client;
  /** Sends any request and returns the answer. */
  request(method: string, path: string, options?: Options): Promise<TestResponse>;
  /** Marks an execution as sent to its daemon, so that the service accepts its result. */
  handOver(executionId: string): Promise<void>;
  /** Records a daemon that can update itself, as if it had connected once. */
  introduceDaemon(serverId: string): Promise<void>;
  /** Halts an update of daemons, as a failed daemon would. */
  haltUpdate(id: string): Promise<void>;
  /** Returns the token of a link as the first start makes one, for any user. */
  firstLink(userId: string): Promise<string>;
}

export interface RunningService extends Caller {
  readonly app: App;
  readonly testDatabase: TestDatabase;
  readonly database: Tx;
  /** Logged errors: each is a bug of the service, even if no caller noticed it. */
  readonly errors: readonly string[];
  /** Returns the account's events, of one resource or all, oldest first, once all of them are numbered. */
  eventsOf(resourceId?: string): Promise<readonly Event[]>;
  /** Creates a second account, whose key has all permissions except admin. */
  addAccount(): Promise<Caller>;
  /** Returns the same service as the user of such an account sees it: a test is isolated without starting a service. */
  inNewAccount(): Promise<RunningService>;
}

/** What a process does with its storage. */
export interface Process {
  readonly hooks: StorageHooks;
  around(storage: Storage): Storage;
}

export const adminEmail = 'root@example.org';
export const adminPassword = 'correct horse battery';
/** Origin of our own pages. */
export const publicUrl = 'http://hortus.test';

const adminKey = `hk_live_${'a'.repeat(43)}`;
const plenty = 100_000_000;

/**
 * Starts the whole service on a new test database and a free port; stops it at the end of the test or suite. `process`
 * can die in the middle of its writes.
 */
export async function startApp(
  engine: Engine,
  overrides: Partial<Config> = {},
  testDatabase?: TestDatabase,
  process: Process = { hooks: {}, around: (storage) => storage },
): Promise<RunningService> {
  const on = testDatabase ?? (await engine.testDatabase());
  const config = { ...(await settingsFor(on)), ...overrides };
  const open: typeof openStorage = async (settings) =>
    process.around(delayedIfAsked(await openStorage(settings, process.hooks)));
  const errors: string[] = [];
  const log = openLog({ level: 'error', stream: { write: (line) => void errors.push(line) } });
  const passwords = new Passwords({ derive: quickly });
  const app = await buildApp({ config, log, open, passwords, openWork: sharedWork });
  engine.afterwards(() => app.close());
  const { port } = await app.http.listen();
  const base = `http://127.0.0.1:${port}/api/v1`;
  const database = await openDirectDatabase(engine, on);
  const { account_id: accountId } = await database.db
    .selectFrom('api_keys')
    .select('account_id')
    .where('hash', '=', tokenOf(adminKey).hash)
    .executeTakeFirstOrThrow();
  const addAccount = async () => {
    const second = await insertSecondAccount(database);
    return callerOf(base, second.accountId, second.key, database);
  };
  const as = (caller: Caller): RunningService => ({
    ...caller,
    app,
    testDatabase: on,
    database,
    errors,
    eventsOf: async (resourceId) => {
      await until(async () => !(await hasUntold(database)), { describe: 'every event to have its number' });
      return (
        await caller.client.call('events.list', {
          query: { ...(resourceId !== undefined && { resource_id: resourceId }), after: 0, per_page: 100 },
        })
      ).data;
    },
    addAccount,
    inNewAccount: async () => as(await addAccount()),
  });
  return as(callerOf(base, accountId, adminKey, database));
}

/** Derives a tag without the cost of argon2, which is tested with `Passwords` and `sign-in`. */
const quickly = async (password: string, salt: Buffer, _cost: unknown, length: number): Promise<Buffer> =>
  Buffer.from(hkdfSync('sha256', password.normalize('NFKC'), salt, '', length));

async function settingsFor(testDatabase: TestDatabase): Promise<Config> {
  const env = {
    HORTUS_PORT: '0',
    HORTUS_PUBLIC_URL: publicUrl,
    HORTUS_DATA_DIR: testDatabase.directory,
    HORTUS_DATABASE_URL: testDatabase.databaseUrl,
    HORTUS_CATALOG_DIR: sharedCatalog(),
    HORTUS_AGENTS_DIR: await writeAgent(join(testDatabase.directory, 'agents')),
    HORTUS_ADMIN_KEY: adminKey,
    HORTUS_ADMIN_EMAIL: adminEmail,
    HORTUS_ADMIN_PASSWORD: adminPassword,
    HORTUS_MASTER_KEY: Buffer.alloc(32, 'hortus').toString('base64'),
    HORTUS_LOCAL_SERVER: 'off',
    HORTUS_RATE_LIMITS: ['free', 'pro', 'enterprise', 'anonymous', 'server'].map((who) => `${who}=${plenty}`).join(),
    HORTUS_WEBHOOK_ALLOW_PRIVATE: 'true',
    HORTUS_ALERT_GROUP_SECONDS: '0',
    // Tests that expect no writes must not meet the job that watches servers.
    HORTUS_ALERT_WATCH_SECONDS: '3600',
  };
  return readConfig(env, testDatabase.directory);
}

function callerOf(base: string, accountId: string, accountKey: string, database: Tx): Caller {
  return {
    base,
    accountId,
    key: accountKey,
    client: createClient({ baseUrl: base, key: accountKey, retries: { attempts: 1 } }),
    async handOver(id) {
      await updateState(database, 'executions', { id, column: 'status', from: 'pending', columns: { status: 'sent' } });
    },
    async introduceDaemon(id) {
      const daemon_platform = JSON.stringify({ os: 'linux', arch: 'x64' });
      const columns = { daemon_version: '1.0.0', capabilities: '["update"]', daemon_platform };
      await database.db.updateTable('servers').set(columns).where('id', '=', id).execute();
    },
    async haltUpdate(id) {
      const columns = { status: 'halted' };
      await updateState(database, 'daemon_updates', { id, column: 'status', from: 'running', columns });
    },
    async firstLink(user_id) {
      const { token, hash } = newSessionToken();
      await insertFirstLink(database, { user_id, hash, expires_at: Date.now() + 60_000 });
      return token;
    },
    async request(method, path, { body, raw, key = accountKey, headers = {} } = {}) {
      const text = raw ?? (body === undefined ? undefined : JSON.stringify(body));
      const response = await fetch(base + path, {
        method,
        redirect: 'manual',
        headers: {
          ...(key !== null && { authorization: `Bearer ${key}` }),
          ...(text !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(text !== undefined && { body: text }),
      });
      const reply = await response.text();
      return { status: response.status, headers: response.headers, json: reply === '' ? undefined : parsed(reply) };
    },
  };
}

/** Returns text that is not JSON unchanged, so that a failed expectation shows it. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function insertSecondAccount(tx: Tx): Promise<{ accountId: string; key: string }> {
  const accountId = newId('account');
  const userId = newId('user');
  const created_at = tx.now;
  await insertAccount(tx, { id: accountId, name: 'Neighbour', plan: 'pro', created_at });
  await insertUser(tx, {
    id: userId,
    account_id: accountId,
    email: `${userId}@example.org`,
    password_hash: 'not a valid hash',
    role: 'owner',
    admin: 0,
    created_at,
    updated_at: created_at,
  });
  const key = await insertKeyRow(tx, { account_id: accountId, created_by: userId });
  return { accountId, key };
}

/** Inserts a key that no endpoint would create, such as an expired one, and returns it. */
export async function insertKeyRow(
  tx: Tx,
  row: Pick<NewRow<'api_keys'>, 'account_id'> & Partial<NewRow<'api_keys'>>,
): Promise<string> {
  const { token, hash, prefix } = newUserKey('live');
  await insertKey(tx, {
    id: newId('key'),
    hash,
    prefix,
    name: 'by the side door',
    permissions: JSON.stringify(permissionNames.filter((name) => name !== 'admin')),
    allowed_cidrs: '[]',
    expires_at: null,
    last_used_at: null,
    created_by: null,
    created_at: tx.now,
    revoked_at: null,
    ...row,
  });
  return token;
}
