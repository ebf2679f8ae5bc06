import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { prefetch } from '../../api/query.ts';
import { frameRoute } from '../../frame/frame-route.ts';
import { listSearch } from '../../parts/list-search.ts';

const listParams = listSearch('new');
const recordParams = listSearch('range');

const list = createRoute({
  getParentRoute: () => frameRoute,
  path: '/servers',
  validateSearch: listParams,
  component: lazyRouteComponent(() => import('./list/servers-page.tsx'), 'ServersPage'),
  loaderDeps: ({ search: { page = 1 } }) => ({ page }),
  loader: ({ context, deps }) => prefetch(context.queries, 'servers.list', { query: deps }),
});

const route = createRoute({
  getParentRoute: () => frameRoute,
  path: '/servers/$id',
  validateSearch: recordParams,
  component: lazyRouteComponent(() => import('./server/server-page.tsx'), 'ServerPage'),
  loader: ({ context, params }) => prefetch(context.queries, 'servers.read', { params }),
});

export const serverRoutes = [list, route] as const;
