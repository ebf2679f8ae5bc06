import { randomBytes } from 'node:crypto';
import { type Client, createClient } from '@hortus/client/client';
import { freePort } from '@hortus/testkit/port';
import { type RunningProcess, startProcess } from '@hortus/testkit/process';
import { serviceMain } from '@hortus/testkit/programs';

export interface ServiceProcess {
  readonly process: RunningProcess;
  readonly root: string;
  readonly base: string;
  readonly key: string;
  /** Client without retries, so that tests see every failure. */
  readonly client: Client;
}

export interface ServiceOptions {
  readonly directory: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly port?: number;
  readonly key?: string;
  /** Address of the service if it runs in another network. */
  readonly host?: string;
  /** Prefix of the command, to run it in another network. */
  readonly prefix?: readonly string[];
  /** Another program than the service of this version. */
  readonly main?: string;
}

export const newAdminKey = (): string => `hk_live_${randomBytes(32).toString('base64url')}`;

/** Starts the service as a user does: a separate process on its own port. */
export async function startService(options: ServiceOptions): Promise<ServiceProcess> {
  const port = options.port ?? (await freePort());
  const key = options.key ?? newAdminKey();
  const [program = process.execPath, ...args] = [
    ...(options.prefix ?? []),
    ...[process.execPath, options.main ?? serviceMain],
  ];
  const child = startProcess([program, ...args], {
    env: {
      HORTUS_PORT: String(port),
      HORTUS_DATA_DIR: options.directory,
      HORTUS_ADMIN_KEY: key,
      HORTUS_ADMIN_PASSWORD: 'a password for the tests',
      HORTUS_LOCAL_SERVER: 'off',
      HORTUS_WEBHOOK_ALLOW_PRIVATE: 'true',
      HORTUS_RATE_LIMITS: 'free=60,pro=300,enterprise=1000000,anonymous=1000000,server=1000000',
      ...options.env,
    },
  });
  const root = `http://${options.host ?? '127.0.0.1'}:${port}`;
  const base = `${root}/api/v1`;
  await child.waitForHttp(`${base}/health`, { within: 120_000 });
  return { process: child, root, base, key, client: clientOf(base, key) };
}

export const clientOf = (baseUrl: string, key: string): Client =>
  createClient({ baseUrl, key, retries: { attempts: 1 }, timeoutMs: 60_000 });

export const registerServer = async (client: Client, name = 'server-one'): Promise<string> =>
  (await client.call('servers.register', { body: { name, environment: 'production' } })).data.id;
