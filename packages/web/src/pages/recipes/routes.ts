import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { prefetch } from '../../api/query.ts';
import { frameRoute } from '../../frame/frame-route.ts';
import { listSearch } from '../../parts/list-search.ts';

const shared = { getParentRoute: () => frameRoute, validateSearch: listSearch };

const browse = createRoute({
  ...shared,
  path: '/recipes',
  component: lazyRouteComponent(() => import('./list/browse-page.tsx'), 'BrowsePage'),
});
const mine = createRoute({
  ...shared,
  path: '/recipes/mine',
  component: lazyRouteComponent(() => import('./list/mine-page.tsx'), 'MinePage'),
});
const review = createRoute({
  ...shared,
  path: '/recipes/review',
  component: lazyRouteComponent(() => import('./list/review-page.tsx'), 'ReviewPage'),
});
const one = createRoute({
  ...shared,
  path: '/recipes/$id',
  component: lazyRouteComponent(() => import('./recipe/recipe-page.tsx'), 'RecipePage'),
  loader: ({ context, params }) => prefetch(context.queries, 'recipes.read', { params }),
});

export const recipeRoutes = [browse, mine, review, one];
