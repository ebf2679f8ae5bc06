import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { apiQuery } from '../../api/query.ts';
import { frameRoute } from '../../frame/frame-route.ts';
import { listSearch } from '../../parts/list-search.ts';

const searchParams = listSearch('kingdom', 'family');

export const catalogRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/catalog',
  /** `q` is the search, `kingdom` and `family` the shelf. */
  validateSearch: searchParams,
  component: lazyRouteComponent(() => import('./catalog-page.tsx'), 'CatalogPage'),
  loader: ({ context }) => void context.queries.prefetchQuery(apiQuery('catalog.shelf')),
});
