import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { prefetch } from '../../api/query.ts';
import { frameRoute } from '../../frame/frame-route.ts';
import { listSearch } from '../../parts/list-search.ts';

const getParentRoute = () => frameRoute;
const browseParams = listSearch('order', 'new');
const mineParams = listSearch('status', 'new');
const reviewParams = listSearch('new');

const browse = createRoute({
  getParentRoute,
  path: '/recipes',
  validateSearch: browseParams,
  component: lazyRouteComponent(() => import('./list/browse-page.tsx'), 'BrowsePage'),
});
const mine = createRoute({
  getParentRoute,
  path: '/recipes/mine',
  validateSearch: mineParams,
  component: lazyRouteComponent(() => import('./list/mine-page.tsx'), 'MinePage'),
});
const review = createRoute({
  getParentRoute,
  path: '/recipes/review',
  validateSearch: reviewParams,
  component: lazyRouteComponent(() => import('./list/review-page.tsx'), 'ReviewPage'),
});
const route = createRoute({
  getParentRoute,
  path: '/recipes/$id',
  component: lazyRouteComponent(() => import('./recipe/recipe-page.tsx'), 'RecipePage'),
  loader: ({ context, params }) => prefetch(context.queries, 'recipes.read', { params }),
});

export const recipeRoutes = [browse, mine, review, route] as const;
