import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { prefetch } from '../../api/query.ts';
import { frameRoute } from '../../frame/frame-route.ts';
import { listSearch } from '../../parts/list-search.ts';

const listParams = listSearch('new');
const recordParams = listSearch('tab', 'status');

const list = createRoute({
  getParentRoute: () => frameRoute,
  path: '/gardens',
  validateSearch: listParams,
  component: lazyRouteComponent(() => import('./list/gardens-page.tsx'), 'GardensPage'),
  loaderDeps: ({ search: { page = 1 } }) => ({ page }),
  loader: ({ context, deps }) => prefetch(context.queries, 'gardens.list', { query: deps }),
});

const route = createRoute({
  getParentRoute: () => frameRoute,
  path: '/gardens/$id',
  validateSearch: recordParams,
  component: lazyRouteComponent(() => import('./garden/garden-page.tsx'), 'GardenPage'),
  loader: ({ context, params }) => prefetch(context.queries, 'gardens.read', { params }),
});

const commit = createRoute({
  getParentRoute: () => frameRoute,
  path: '/gardens/$id/commits/$commit',
  component: lazyRouteComponent(() => import('./commit/commit-page.tsx'), 'CommitPage'),
  loader: ({ context, params: { id, commit: commit_id } }) =>
    prefetch(context.queries, 'gardens.commit', { params: { id, commit_id } }),
});

export const gardenRoutes = [list, route, commit] as const;
