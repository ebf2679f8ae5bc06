import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { frameRoute } from '../../frame/frame-route.ts';
import { listSearch } from '../../parts/list-search.ts';
import { firstRows } from './instance-rows.ts';

const searchParams = listSearch('status', 'health', 'server_id');

export const instancesRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/instances',
  validateSearch: searchParams,
  loaderDeps: ({ search }) => search,
  component: lazyRouteComponent(() => import('./instances-page.tsx'), 'InstancesPage'),
  loader: ({ context, deps }) => void context.queries.prefetchQuery(firstRows(deps)),
});
