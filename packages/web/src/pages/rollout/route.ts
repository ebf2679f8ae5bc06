import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { frameRoute } from '../../frame/frame-route.ts';
import { listSearch } from '../../parts/list-search.ts';

export const rolloutRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/deployments/$id',
  /** `q` searches the log, `level` filters it. */
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import('./rollout-page.tsx'), 'RolloutPage'),
});
