import type { overviewEndpoints } from '@hortus/contract/resources/overview';
import type { Handlers } from '../../http/handler.ts';
import { type OverviewDeps, readOverview } from './service.ts';

export const overviewRoutes = (deps: OverviewDeps): Handlers<keyof typeof overviewEndpoints> => ({
  'overview.read': async ({ principal }) => ({ success: true, data: await readOverview(deps, principal) }),
});
