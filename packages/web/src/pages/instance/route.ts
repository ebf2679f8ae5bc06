import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { apiQuery } from '../../api/query.ts';
import { frameRoute } from '../../frame/frame-route.ts';
import { listSearch } from '../../parts/list-search.ts';

const searchParams = listSearch('tab', 'status', 'slug', 'component', 'level', 'at', 'range', 'execution', 'log');

const aboutInstance = (id: string) => apiQuery('overview.instance', { params: { id } });

export const instanceRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/instances/$id',
  validateSearch: searchParams,
  component: lazyRouteComponent(() => import('./instance-page.tsx'), 'InstancePage'),
  loader: ({ context, params }) => void context.queries.prefetchQuery(aboutInstance(params.id)),
});
