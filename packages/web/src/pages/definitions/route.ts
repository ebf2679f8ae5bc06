import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { apiQuery } from '../../api/query.ts';
import { frameRoute } from '../../frame/frame-route.ts';
import { listSearch } from '../../parts/list-search.ts';

const listParams = listSearch('status', 'server_id');
const recordParams = listSearch('tab', 'to', 'migration', 'left', 'right');

const definitionOf = (id: string) => apiQuery('definitions.read', { params: { id } });

export const definitionsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/definitions',
  validateSearch: listParams,
  component: lazyRouteComponent(() => import('./definitions-page.tsx'), 'DefinitionsPage'),
});

export const definitionRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/definitions/$id',
  validateSearch: recordParams,
  component: lazyRouteComponent(() => import('./definition-page.tsx'), 'DefinitionPage'),
  loader: ({ context, params }) => void context.queries.prefetchQuery(definitionOf(params.id)),
});
