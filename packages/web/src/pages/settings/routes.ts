import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { prefetch } from '../../api/query.ts';
import { frameRoute } from '../../frame/frame-route.ts';
import { listSearch } from '../../parts/list-search.ts';

const getParentRoute = () => frameRoute;
const listParams = listSearch();
const createParams = listSearch('new');

const profile = createRoute({
  getParentRoute,
  path: '/settings',
  component: lazyRouteComponent(() => import('./profile/profile-page.tsx'), 'ProfilePage'),
});
const password = createRoute({
  getParentRoute,
  path: '/settings/password',
  component: lazyRouteComponent(() => import('./password/password-page.tsx'), 'PasswordPage'),
});
const sessions = createRoute({
  getParentRoute,
  path: '/settings/sessions',
  validateSearch: listParams,
  component: lazyRouteComponent(() => import('./sessions/sessions-page.tsx'), 'SessionsPage'),
});
const keys = createRoute({
  getParentRoute,
  path: '/settings/keys',
  validateSearch: createParams,
  component: lazyRouteComponent(() => import('./keys/keys-page.tsx'), 'KeysPage'),
  loaderDeps: ({ search: { page = 1 } }) => ({ page }),
  loader: ({ context, deps }) => prefetch(context.queries, 'keys.list', { query: deps }),
});
const members = createRoute({
  getParentRoute,
  path: '/settings/members',
  validateSearch: createParams,
  component: lazyRouteComponent(() => import('./members/members-page.tsx'), 'MembersPage'),
});
const plan = createRoute({
  getParentRoute,
  path: '/settings/plan',
  component: lazyRouteComponent(() => import('./plan/plan-page.tsx'), 'PlanPage'),
});
const installation = createRoute({
  getParentRoute,
  path: '/settings/installation',
  validateSearch: createParams,
  component: lazyRouteComponent(() => import('./installation/installation-page.tsx'), 'InstallationPage'),
});

export const settingsRoutes = [profile, password, sessions, members, keys, plan, installation] as const;
