import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { frameRoute } from '../../frame/frame-route.ts';
import { listSearch } from '../../parts/list-search.ts';

const searchParams = listSearch('status', 'server_id', 'definition_id', 'log');

/** The history; the rollout of one deployment has a page of its own below it. */
export const deploymentsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/deployments',
  validateSearch: searchParams,
  component: lazyRouteComponent(() => import('./deployments-page.tsx'), 'DeploymentsPage'),
});
