import type { Config } from '../../config/config-fields.ts';
import { LoginThrottle } from '../../identity/login-throttle.ts';
import type { Passwords } from '../../identity/passwords.ts';
import type { Quotas } from '../../quotas/quotas.ts';
import type { Resource } from '../../resource.ts';
import type { Pages } from '../../storage/page.ts';
import type { Storage } from '../../storage/storage.ts';
import { signInRoutes } from './routes.ts';
import { Accounts } from './service.ts';
import { Sessions } from './sessions.ts';

interface Needs {
  readonly config: Pick<Config, 'sessionIdleMinutes'>;
  readonly storage: Storage;
  readonly pages: Pages;
  readonly passwords: Passwords;
  readonly quotas: Quotas;
}

export const resource = {
  tables: ['accounts', 'users', 'user_networks'],
  wire: ({ config, storage, pages, passwords, quotas }: Needs) => ({
    handlers: signInRoutes(
      new Accounts({ storage, passwords, throttle: new LoginThrottle(), quotas }),
      new Sessions({ storage, pages, idleMs: config.sessionIdleMinutes * 60_000 }),
    ),
  }),
} satisfies Resource<Needs>;
