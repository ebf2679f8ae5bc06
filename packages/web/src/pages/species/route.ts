import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { apiQuery, type PlainQuery } from '../../api/query.ts';
import { frameRoute } from '../../frame/frame-route.ts';

export const speciesRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/catalog/$species',
  component: lazyRouteComponent(() => import('./species-page.tsx'), 'SpeciesPage'),
  loader: ({ context, params: { species } }) => {
    const template = apiQuery('templates.read', { params: { species } });
    void context.queries.prefetchQuery(template as PlainQuery);
    const versions = apiQuery('templates.versions', { params: { species } });
    void context.queries.prefetchQuery(versions as PlainQuery);
  },
});
