import type { Resource } from '../../resource.ts';
import type { Storage } from '../../storage/storage.ts';
import { type LostNodeDeps, lostNodeJob, NODE_LOST } from './lost-node.ts';
import { backupRoutes } from './routes.ts';
import { BACKUPS_DUE, type DueDeps, dueJob } from './schedule.ts';
import type { Backups } from './service.ts';

interface Needs extends Pick<DueDeps, 'instances'> {
  readonly storage: Storage;
  readonly backups: Backups;
  readonly manifests: { readonly resolve: LostNodeDeps['manifestOf'] };
  readonly isNodeLost: LostNodeDeps['isLost'];
}

export const resource = {
  tables: ['backups', 'backup_plans'],
  // Lists late backups of running instances, with their names.
  joins: ['instances', 'definitions'],
  wire: ({ storage, backups, instances, manifests, isNodeLost }: Needs) => ({
    handlers: backupRoutes(backups),
    jobs: {
      [BACKUPS_DUE]: dueJob({ storage, backups, instances }),
      [NODE_LOST]: lostNodeJob({
        storage,
        backups,
        instances,
        manifestOf: (...args) => manifests.resolve(...args),
        isLost: isNodeLost,
      }),
    },
  }),
} satisfies Resource<Needs>;
