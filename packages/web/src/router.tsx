import type { QueryClient } from '@tanstack/react-query';
import { createRouter } from '@tanstack/react-router';
import { frameRoute, rootRoute } from './frame/frame-route.ts';
import { RouteProblem } from './frame/problem-pages.tsx';
import { assistantRoute } from './pages/assistant/route.ts';
import { catalogRoute } from './pages/catalog/route.ts';
import { confirmationRoutes } from './pages/confirmations/routes.ts';
import { connectionsRoute } from './pages/connections/route.ts';
import { daemonUpdateRoutes } from './pages/daemon-updates/routes.ts';
import { definitionRoute, definitionsRoute } from './pages/definitions/route.ts';
import { deploymentsRoute } from './pages/deployments/route.ts';
import { eventsRoute } from './pages/events/route.ts';
import { gardenRoutes } from './pages/gardens/routes.ts';
import { instanceRoute } from './pages/instance/route.ts';
import { instancesRoute } from './pages/instances/route.ts';
import { inviteRoute } from './pages/invite/route.ts';
import { notificationRoutes } from './pages/notifications/routes.ts';
import { overviewRoute } from './pages/overview/route.ts';
import { passwordResetRoute } from './pages/password-reset/route.ts';
import { recipeRoutes } from './pages/recipes/routes.ts';
import { rolloutRoute } from './pages/rollout/route.ts';
import { serverRoutes } from './pages/servers/routes.ts';
import { settingsRoutes } from './pages/settings/routes.ts';
import { signInRoute } from './pages/sign-in/route.ts';
import { speciesRoute } from './pages/species/route.ts';
import { importRoute, newTemplateRoute, templateRoute, templatesRoute } from './pages/templates/routes.ts';
import { tenantRoutes } from './pages/tenants/routes.ts';
import { upgradeRoutes } from './pages/upgrades/routes.ts';
import { webhookRoutes } from './pages/webhooks/routes.ts';
import { welcomeRoute } from './pages/welcome/route.ts';
import { parseSearch, stringifySearch } from './parts/search-params.ts';

/** Every page. A new one needs its route here; its code loads when it is opened. */
const routes = rootRoute.addChildren([
  frameRoute.addChildren([
    overviewRoute,
    instancesRoute,
    instanceRoute,
    definitionsRoute,
    definitionRoute,
    deploymentsRoute,
    catalogRoute,
    speciesRoute,
    rolloutRoute,
    templatesRoute,
    newTemplateRoute,
    importRoute,
    templateRoute,
    ...settingsRoutes,
    ...serverRoutes,
    connectionsRoute,
    ...daemonUpdateRoutes,
    ...webhookRoutes,
    eventsRoute,
    ...notificationRoutes,
    ...tenantRoutes,
    ...upgradeRoutes,
    ...gardenRoutes,
    ...recipeRoutes,
    assistantRoute,
    ...confirmationRoutes,
  ]),
  signInRoute,
  welcomeRoute,
  inviteRoute,
  passwordResetRoute,
]);

export const newRouter = (queries: QueryClient) =>
  createRouter({
    routeTree: routes,
    context: { queries },
    // Each route has its own, so that the frame stays around a page that failed.
    defaultErrorComponent: RouteProblem,
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
    parseSearch,
    stringifySearch,
  });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof newRouter>;
  }
}
