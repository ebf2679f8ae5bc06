import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { frameRoute } from '../../frame/frame-route.ts';
import { listSearch } from '../../parts/list-search.ts';

const searchParams = listSearch('level');

export const rolloutRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/deployments/$id',
  /** `q` searches the log, `level` filters it. */
  validateSearch: searchParams,
  component: lazyRouteComponent(() => import('./rollout-page.tsx'), 'RolloutPage'),
});
