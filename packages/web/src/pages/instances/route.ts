import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { frameRoute } from '../../frame/frame-route.ts';
import { listSearch } from '../../parts/list-search.ts';
import { firstRows } from './instance-rows.ts';

export const instancesRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/instances',
  validateSearch: listSearch,
  loaderDeps: ({ search }) => search,
  component: lazyRouteComponent(() => import('./instances-page.tsx'), 'InstancesPage'),
  loader: ({ context, deps }) => void context.queries.prefetchQuery(firstRows(deps)),
});
