import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { isSignedOut } from '../api/problem.ts';
import { sessionQuery } from '../api/session.ts';
import { NotFound } from './problem-pages.tsx';

export const rootRoute = createRootRouteWithContext<{ queries: QueryClient }>()({
  notFoundComponent: NotFound,
});

/** Parent of every page of a signed-in person. Others are sent to the sign-in page and come back afterwards. */
export const frameRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'frame',
  component: lazyRouteComponent(() => import('./frame.tsx'), 'Frame'),
  async beforeLoad({ context, location }): Promise<void> {
    try {
      await context.queries.ensureQueryData(sessionQuery);
    } catch (error) {
      if (!isSignedOut(error)) throw error;
      throw redirect({ to: '/sign-in', search: { to: location.href } });
    }
  },
});
