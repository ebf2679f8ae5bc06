import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { prefetch } from '../../api/query.ts';
import { frameRoute } from '../../frame/frame-route.ts';
import { listSearch } from '../../parts/list-search.ts';

const listParams = listSearch('status');

const list = createRoute({
  getParentRoute: () => frameRoute,
  path: '/upgrades',
  validateSearch: listParams,
  component: lazyRouteComponent(() => import('./list/upgrades-page.tsx'), 'UpgradesPage'),
});

const route = createRoute({
  getParentRoute: () => frameRoute,
  path: '/upgrades/$id',
  component: lazyRouteComponent(() => import('./upgrade/upgrade-page.tsx'), 'UpgradePage'),
  loader: ({ context, params }) => prefetch(context.queries, 'upgrades.read', { params }),
});

export const upgradeRoutes = [list, route] as const;
