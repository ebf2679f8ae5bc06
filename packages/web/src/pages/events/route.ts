import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { frameRoute } from '../../frame/frame-route.ts';
import { listSearch } from '../../parts/list-search.ts';

const searchParams = listSearch('type', 'resource_type', 'resource_id', 'tenant_id', 'since', 'until', 'event');

export const eventsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/events',
  validateSearch: searchParams,
  component: lazyRouteComponent(() => import('./events-page.tsx'), 'EventsPage'),
});
