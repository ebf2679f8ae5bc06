import type { Resource } from '../../resource.ts';
import { EVACUATE, wakeEvacuations } from './job.ts';
import { removeEvacuations } from './retention.ts';
import { evacuationRoutes } from './routes.ts';
import type { Evacuations } from './service.ts';

interface Needs {
  readonly evacuations: Evacuations;
}

export const resource = {
  tables: ['evacuations', 'evacuation_moves'],
  subscribers: [wakeEvacuations],
  retention: ({ events }) => [{ name: 'evacuations of servers', days: events, remove: removeEvacuations }],
  wire: ({ evacuations }: Needs) => ({
    handlers: evacuationRoutes(evacuations),
    jobs: { [EVACUATE]: evacuations.job() },
  }),
} satisfies Resource<Needs>;
