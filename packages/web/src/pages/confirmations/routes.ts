import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { prefetch } from '../../api/query.ts';
import { frameRoute } from '../../frame/frame-route.ts';
import { listSearch } from '../../parts/list-search.ts';

const searchParams = listSearch('status');

const list = createRoute({
  getParentRoute: () => frameRoute,
  path: '/confirmations',
  validateSearch: searchParams,
  component: lazyRouteComponent(() => import('./confirmations-page.tsx'), 'ConfirmationsPage'),
});

const route = createRoute({
  getParentRoute: () => frameRoute,
  path: '/confirmations/$id',
  component: lazyRouteComponent(() => import('./confirmation-page.tsx'), 'ConfirmationPage'),
  loader: ({ context, params }) => prefetch(context.queries, 'confirmations.read', { params }),
});

export const confirmationRoutes = [list, route] as const;
