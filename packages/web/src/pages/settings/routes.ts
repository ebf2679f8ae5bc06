import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { prefetch } from '../../api/query.ts';
import { frameRoute } from '../../frame/frame-route.ts';
import { listSearch } from '../../parts/list-search.ts';

const shared = { getParentRoute: () => frameRoute, validateSearch: listSearch };

const profile = createRoute({
  ...shared,
  path: '/settings',
  component: lazyRouteComponent(() => import('./profile/profile-page.tsx'), 'ProfilePage'),
});
const password = createRoute({
  ...shared,
  path: '/settings/password',
  component: lazyRouteComponent(() => import('./password/password-page.tsx'), 'PasswordPage'),
});
const sessions = createRoute({
  ...shared,
  path: '/settings/sessions',
  component: lazyRouteComponent(() => import('./sessions/sessions-page.tsx'), 'SessionsPage'),
});
const keys = createRoute({
  ...shared,
  path: '/settings/keys',
  component: lazyRouteComponent(() => import('./keys/keys-page.tsx'), 'KeysPage'),
  loaderDeps: ({ search: { page = 1 } }) => ({ page }),
  loader: ({ context, deps }) => prefetch(context.queries, 'keys.list', { query: deps }),
});
const members = createRoute({
  ...shared,
  path: '/settings/members',
  component: lazyRouteComponent(() => import('./members/members-page.tsx'), 'MembersPage'),
});
const plan = createRoute({
  ...shared,
  path: '/settings/plan',
  component: lazyRouteComponent(() => import('./plan/plan-page.tsx'), 'PlanPage'),
});
const installation = createRoute({
  ...shared,
  path: '/settings/installation',
  component: lazyRouteComponent(() => import('./installation/installation-page.tsx'), 'InstallationPage'),
});

export const settingsRoutes = [profile, password, sessions, members, keys, plan, installation];
