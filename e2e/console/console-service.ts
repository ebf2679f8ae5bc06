import { join } from 'node:path';
import type { CreatedApiKey } from '@hortus/contract/resources/keys';
import type { NewSession } from '@hortus/contract/resources/sign-in';
import { type PageSession, pageHeaders, pageSession } from '@hortus/testkit/page-session';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { takeTurn } from '@hortus/testkit/turn';
import { afterAll, expect } from 'vitest';
import { buildConsole } from '../../scripts/console.mjs';
import { clientOf, type ServiceOptions, type ServiceProcess, startService } from '../service-process.ts';

export const email = 'mira@example.org';
export const password = 'a password for the tests';
const root = join(import.meta.dirname, '../..');

/** A new account on a running service: the client of its owner, and the session of that owner. */
export interface OpenedConsole {
  readonly service: ServiceProcess;
  readonly session: PageSession;
}

let shared: Promise<ServiceProcess> | undefined;
let accounts = 0;

/**
 * Opens an account on the service that the test files of this process share, because starting one costs more than most
 * tests. It ends with the process. Files that need an administrator, a setting or people with fixed addresses start their own.
 */
export async function openConsole(): Promise<OpenedConsole> {
  const running = await shared?.catch(() => undefined);
  if (!running?.process.running) shared = startWithConsole(temporaryFolder().path);
  const service = await (shared as Promise<ServiceProcess>);
  const owner = `owner-${++accounts}@example.org`;
  const { data } = await service.client.call('accounts.create', {
    body: { name: 'Nursery', plan: 'enterprise', owner_email: owner },
  });
  const post = (path: string, body: object, headers = {}) =>
    fetch(`${service.base}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: service.root, ...headers },
      body: JSON.stringify(body),
    });
  const joined = await post('/account/invites/accept', { token: data.invite.token, password, name: 'Mira' });
  expect(joined.status, await joined.clone().text()).toBe(200);
  const { data: begun } = (await joined.json()) as { data: NewSession };
  const session = pageSession(joined.headers, begun);
  const asked = { name: 'Tests', permissions: begun.permissions };
  const made = await post('/account/keys', asked, pageHeaders(session, service.root));
  expect(made.status, await made.clone().text()).toBe(201);
  const { key } = ((await made.json()) as { data: CreatedApiKey }).data;
  return { service: { ...service, key, client: clientOf(service.base, key) }, session };
}

/** Starts a service of its own for a file, with the built console; both end with the file. */
export async function startConsoleService(env: ServiceOptions['env'] = {}): Promise<ServiceProcess> {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());
  const service = await startWithConsole(folder.path, env);
  afterAll(() => service.process.stop());
  return service;
}

async function startWithConsole(directory: string, env: ServiceOptions['env'] = {}): Promise<ServiceProcess> {
  await builtConsole();
  return await startService({
    directory,
    env: { HORTUS_ADMIN_EMAIL: email, HORTUS_CONSOLE_DIR: join(root, 'dist/console'), ...env },
  });
}

/** Builds the console once, although test files run at the same time. */
export async function builtConsole(): Promise<void> {
  await using _turn = await takeTurn('console-build');
  expect(await buildConsole(), 'the console was built').toBe(true);
}
