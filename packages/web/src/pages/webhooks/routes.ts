import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { prefetch } from '../../api/query.ts';
import { frameRoute } from '../../frame/frame-route.ts';
import { listSearch } from '../../parts/list-search.ts';

const listParams = listSearch('new');
const recordParams = listSearch('status', 'delivery');

const list = createRoute({
  getParentRoute: () => frameRoute,
  path: '/webhooks',
  validateSearch: listParams,
  component: lazyRouteComponent(() => import('./list/webhooks-page.tsx'), 'WebhooksPage'),
  loaderDeps: ({ search: { page = 1 } }) => ({ page }),
  loader: ({ context, deps }) => prefetch(context.queries, 'webhooks.list', { query: deps }),
});

const route = createRoute({
  getParentRoute: () => frameRoute,
  path: '/webhooks/$id',
  validateSearch: recordParams,
  component: lazyRouteComponent(() => import('./endpoint/webhook-page.tsx'), 'WebhookPage'),
  loader: ({ context, params }) => prefetch(context.queries, 'webhooks.read', { params }),
});

export const webhookRoutes = [list, route] as const;
