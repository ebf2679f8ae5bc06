import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { prefetch } from '../../api/query.ts';
import { frameRoute } from '../../frame/frame-route.ts';
import { listSearch } from '../../parts/list-search.ts';

const searchParams = listSearch();

export const templatesRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/templates',
  validateSearch: searchParams,
  component: lazyRouteComponent(() => import('./templates-page.tsx'), 'TemplatesPage'),
});

export const newTemplateRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/templates/new',
  component: lazyRouteComponent(() => import('./new-template-page.tsx'), 'NewTemplatePage'),
});

export const importRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/templates/import',
  component: lazyRouteComponent(() => import('./import/import-page.tsx'), 'ImportPage'),
});

export const templateRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/templates/$id',
  component: lazyRouteComponent(() => import('./template-page.tsx'), 'TemplatePage'),
  loader: ({ context, params: { id } }) => prefetch(context.queries, 'drafts.read', { params: { id } }),
});
