import type { Resource } from '../../resource.ts';
import { UPDATE_DAEMONS, type UpdateJobDeps, updateDaemonsJob } from './job.ts';
import { removeDaemonUpdates } from './retention.ts';
import { daemonUpdateRoutes } from './routes.ts';
import type { DaemonUpdates } from './service.ts';

interface Needs extends UpdateJobDeps {
  readonly daemonUpdates: DaemonUpdates;
}

export const resource = {
  tables: ['daemon_updates', 'daemon_update_targets'],
  retention: ({ events }) => [{ name: 'updates of daemons', days: events, remove: removeDaemonUpdates }],
  wire: ({ storage, wake, daemonUpdates }: Needs) => ({
    handlers: daemonUpdateRoutes(daemonUpdates),
    jobs: { [UPDATE_DAEMONS]: updateDaemonsJob({ storage, wake }) },
  }),
} satisfies Resource<Needs>;
