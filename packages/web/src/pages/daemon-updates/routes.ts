import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { prefetch } from '../../api/query.ts';
import { frameRoute } from '../../frame/frame-route.ts';
import { listSearch } from '../../parts/list-search.ts';

const searchParams = listSearch('status');

const list = createRoute({
  getParentRoute: () => frameRoute,
  path: '/daemon-updates',
  validateSearch: searchParams,
  component: lazyRouteComponent(() => import('./updates-page.tsx'), 'UpdatesPage'),
});

const route = createRoute({
  getParentRoute: () => frameRoute,
  path: '/daemon-updates/$id',
  component: lazyRouteComponent(() => import('./update-page.tsx'), 'UpdatePage'),
  loader: ({ context, params }) => prefetch(context.queries, 'daemon-updates.read', { params }),
});

export const daemonUpdateRoutes = [list, route] as const;
