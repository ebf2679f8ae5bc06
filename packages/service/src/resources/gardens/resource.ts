import type { Config } from '../../config/config-fields.ts';
import type { RawRoute } from '../../http/raw-routes.ts';
import type { Resource } from '../../resource.ts';
import { APPLY_GARDEN, applyGardenJob, wakeGardens } from './apply-job.ts';
import type { CarryingDeps } from './carrying.ts';
import type { GardenExports } from './export.ts';
import type { GardenCommits } from './following/commits.ts';
import { type FollowDeps, followGardenJob, wakeFollowed } from './following/follow-job.ts';
import { FOLLOW_GARDEN, REPORT_COMMIT } from './following/moving.ts';
import { type ReportDeps, reportCommitJob } from './following/report-job.ts';
import { removeGardenCommits } from './following/retention.ts';
import { gardenSourceRoutes } from './following/routes.ts';
import type { GardenSources } from './following/service.ts';
import { removeGardenRuns } from './retention.ts';
import { gardenRoutes } from './routes.ts';
import type { Gardens } from './service.ts';

interface Needs extends Omit<ReportDeps, 'publicUrl'> {
  readonly config: Pick<Config, 'publicUrl'>;
  readonly gardens: Gardens;
  readonly gardenExports: GardenExports;
  readonly gardenSources: GardenSources;
  readonly gardenCommits: GardenCommits;
  readonly gardenCarrying: CarryingDeps;
  readonly gardenFollowing: FollowDeps;
  readonly gardenPush: RawRoute;
}

export const resource = {
  tables: [
    'gardens',
    'garden_items',
    'garden_runs',
    'garden_changes',
    'garden_sources',
    'garden_commits',
    'garden_commit_contents',
  ],
  subscribers: [wakeGardens, wakeFollowed],
  retention: ({ events }) => [
    { name: 'garden runs', days: events, remove: removeGardenRuns },
    { name: 'garden commits', days: events, remove: removeGardenCommits },
  ],
  wire: ({ config: { publicUrl }, storage, vault, guard, ...needs }: Needs) => ({
    handlers: {
      ...gardenRoutes(needs.gardens, needs.gardenExports),
      ...gardenSourceRoutes(needs.gardenSources, needs.gardenCommits),
    },
    rawRoutes: [needs.gardenPush],
    jobs: {
      [APPLY_GARDEN]: applyGardenJob(needs.gardenCarrying),
      [FOLLOW_GARDEN]: followGardenJob(needs.gardenFollowing),
      [REPORT_COMMIT]: reportCommitJob({ storage, vault, guard, publicUrl }),
    },
  }),
} satisfies Resource<Needs>;
