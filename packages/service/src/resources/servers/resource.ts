import type { Resource } from '../../resource.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Drains } from './drain.ts';
import type { Identities } from './identities.ts';
import { type Liveness, SILENCE } from './liveness/liveness.ts';
import { OLD_KEY, oldKeyJob } from './old-keys.ts';
import type { Balances } from './placement/balance.ts';
import type { Prunes } from './prune.ts';
import { serverRoutes } from './routes.ts';
import type { Servers } from './service.ts';

interface Needs {
  readonly storage: Storage;
  readonly servers: Servers;
  readonly drains: Drains;
  readonly prunes: Prunes;
  readonly identities: Identities;
  readonly balances: Balances;
  readonly liveness: Liveness;
}

export const resource = {
  tables: ['servers', 'replicas'],
  wire: ({ storage, servers, drains, prunes, identities, balances, liveness }: Needs) => ({
    handlers: serverRoutes(servers, drains, prunes, identities, balances),
    jobs: { [SILENCE]: liveness.silence, [OLD_KEY]: oldKeyJob(storage) },
  }),
} satisfies Resource<Needs>;
