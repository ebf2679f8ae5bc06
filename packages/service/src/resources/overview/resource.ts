import type { Resource } from '../../resource.ts';
import type { InstanceOverviewDeps } from './instance.ts';
import { overviewRoutes } from './routes.ts';
import type { OverviewDeps } from './service.ts';

interface Needs {
  readonly overview: OverviewDeps;
  readonly instanceOverview: InstanceOverviewDeps;
}

export const resource = {
  wire: ({ overview, instanceOverview }: Needs) => ({ handlers: overviewRoutes(overview, instanceOverview) }),
} satisfies Resource<Needs>;
