import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { prefetch } from '../../api/query.ts';
import { frameRoute } from '../../frame/frame-route.ts';

export const speciesRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/catalog/$species',
  component: lazyRouteComponent(() => import('./species-page.tsx'), 'SpeciesPage'),
  loader: ({ context, params: { species } }) => {
    prefetch(context.queries, 'templates.read', { params: { species } });
    prefetch(context.queries, 'templates.versions', { params: { species } });
  },
});
