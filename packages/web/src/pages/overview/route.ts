import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { apiQuery } from '../../api/query.ts';
import { frameRoute } from '../../frame/frame-route.ts';

export const overviewRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./overview-page.tsx'), 'OverviewPage'),
  // Starts the request with the page's code instead of after it.
  loader: ({ context }) => void context.queries.prefetchQuery(apiQuery('overview.read')),
});
