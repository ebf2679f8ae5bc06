import { join } from 'node:path';
import { browserState, signIn } from '@hortus/testkit/page-session';
import type { Browser, BrowserContext } from 'playwright-core';
import { buildConsole } from '../scripts/console.mjs';
import { startService } from './service-process.ts';

export type Service = Awaited<ReturnType<typeof startService>>;

const root = join(import.meta.dirname, '..');
const EMAIL = 'mira@example.org';
const PASSWORD = 'a password for the bench';

/** Starts the service with the built console. */
export async function startWithConsole(): Promise<Service> {
  if (!(await buildConsole())) throw new Error('The console was not built.');
  const env = { HORTUS_ADMIN_EMAIL: EMAIL, HORTUS_CONSOLE_DIR: join(root, 'dist/console') };
  return startService({ env, cores: '0,1' });
}

/** Opens a browser context that is signed in. */
export async function signedIn(browser: Browser, service: Service): Promise<BrowserContext> {
  const session = await signIn(service, { email: EMAIL, password: PASSWORD });
  return browser.newContext({
    baseURL: service.root,
    viewport: { width: 1440, height: 900 },
    storageState: browserState(session, service.root),
  });
}
