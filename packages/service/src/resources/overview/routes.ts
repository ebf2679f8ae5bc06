import type { overviewEndpoints } from '@hortus/contract/resources/overview';
import type { Handlers } from '../../http/handler.ts';
import { type InstanceOverviewDeps, readInstanceOverview } from './instance.ts';
import { type OverviewDeps, readOverview } from './service.ts';

export const overviewRoutes = (
  account: OverviewDeps,
  instance: InstanceOverviewDeps,
): Handlers<keyof typeof overviewEndpoints> => ({
  'overview.read': async ({ principal }) => ({ success: true, data: await readOverview(account, principal) }),
  'overview.instance': async ({ principal, params }) => ({
    success: true,
    data: await readInstanceOverview(instance, principal, params.id),
  }),
});
