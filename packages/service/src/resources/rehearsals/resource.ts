import type { Resource } from '../../resource.ts';
import type { Storage } from '../../storage/storage.ts';
import { REHEARSE } from './lifecycle.ts';
import { rehearsalRoutes } from './routes.ts';
import type { Rehearsals } from './service.ts';
import { type RehearsalTrial, wakeRehearsals } from './trial.ts';

interface Needs {
  readonly storage: Storage;
  readonly rehearsals: Rehearsals;
  readonly rehearsalsTrial: RehearsalTrial;
}

export const resource = {
  tables: ['rehearsals'],
  // Lists rehearsals with the name of the copied definition.
  joins: ['definitions'],
  subscribers: [wakeRehearsals],
  wire: ({ storage, rehearsals, rehearsalsTrial }: Needs) => ({
    handlers: rehearsalRoutes(rehearsals),
    jobs: { [REHEARSE]: rehearsalsTrial.job(storage) },
  }),
} satisfies Resource<Needs>;
