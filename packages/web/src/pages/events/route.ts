import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { frameRoute } from '../../frame/frame-route.ts';
import { listSearch } from '../../parts/list-search.ts';

export const eventsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/events',
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import('./events-page.tsx'), 'EventsPage'),
});
