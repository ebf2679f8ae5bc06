import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { prefetch } from '../../api/query.ts';
import { frameRoute } from '../../frame/frame-route.ts';
import { listSearch } from '../../parts/list-search.ts';

const searchParams = listSearch('new');

export const connectionsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/connections',
  validateSearch: searchParams,
  component: lazyRouteComponent(() => import('./connections-page.tsx'), 'ConnectionsPage'),
  loaderDeps: ({ search: { page = 1 } }) => ({ page }),
  loader: ({ context, deps }) => prefetch(context.queries, 'connections.list', { query: deps }),
});
