import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { prefetch } from '../../api/query.ts';
import { frameRoute } from '../../frame/frame-route.ts';
import { listSearch } from '../../parts/list-search.ts';

const list = createRoute({
  getParentRoute: () => frameRoute,
  path: '/upgrades',
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import('./list/upgrades-page.tsx'), 'UpgradesPage'),
});

const one = createRoute({
  getParentRoute: () => frameRoute,
  path: '/upgrades/$id',
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import('./upgrade/upgrade-page.tsx'), 'UpgradePage'),
  loader: ({ context, params }) => prefetch(context.queries, 'upgrades.read', { params }),
});

export const upgradeRoutes = [list, one];
