import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { prefetch } from '../../api/query.ts';
import { frameRoute } from '../../frame/frame-route.ts';

export const assistantRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/assistant',
  component: lazyRouteComponent(() => import('./assistant-page.tsx'), 'AssistantPage'),
  loader: ({ context }) => prefetch(context.queries, 'copilot.usage'),
});
