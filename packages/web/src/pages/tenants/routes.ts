import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { prefetch } from '../../api/query.ts';
import { frameRoute } from '../../frame/frame-route.ts';
import { listSearch } from '../../parts/list-search.ts';

const listParams = listSearch('status', 'new');

const list = createRoute({
  getParentRoute: () => frameRoute,
  path: '/tenants',
  validateSearch: listParams,
  component: lazyRouteComponent(() => import('./list/tenants-page.tsx'), 'TenantsPage'),
});

const route = createRoute({
  getParentRoute: () => frameRoute,
  path: '/tenants/$id',
  component: lazyRouteComponent(() => import('./tenant/tenant-page.tsx'), 'TenantPage'),
  loader: ({ context, params }) => prefetch(context.queries, 'tenants.read', { params }),
});

export const tenantRoutes = [list, route] as const;
