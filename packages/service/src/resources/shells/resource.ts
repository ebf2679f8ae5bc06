import type { Resource } from '../../resource.ts';
import { removeRecordings, removeShells } from './retention.ts';
import { shellRoutes } from './routes.ts';
import type { Shells } from './service.ts';
import { UNSEEN_SHELLS, unseenShellsJob } from './unseen-job.ts';

interface Needs {
  readonly shells: Shells;
}

export const resource = {
  tables: ['shells', 'shell_recordings', 'stored_recordings'],
  retention: ({ recordings }) => [
    { name: 'shell recordings', days: recordings, remove: removeRecordings },
    { name: 'shell sessions', days: recordings, remove: removeShells },
  ],
  wire: ({ shells }: Needs) => ({
    handlers: shellRoutes(shells),
    jobs: { [UNSEEN_SHELLS]: unseenShellsJob(shells) },
  }),
} satisfies Resource<Needs>;
