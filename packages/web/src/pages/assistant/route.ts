import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { prefetch } from '../../api/query.ts';
import { frameRoute } from '../../frame/frame-route.ts';
import { listSearch } from '../../parts/list-search.ts';

export const assistantRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/assistant',
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import('./assistant-page.tsx'), 'AssistantPage'),
  loader: ({ context }) => prefetch(context.queries, 'copilot.usage'),
});
