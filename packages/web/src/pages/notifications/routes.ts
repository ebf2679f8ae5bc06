import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { frameRoute } from '../../frame/frame-route.ts';
import { listSearch } from '../../parts/list-search.ts';

const shared = { getParentRoute: () => frameRoute, validateSearch: listSearch };

const alerts = createRoute({
  ...shared,
  path: '/notifications',
  component: lazyRouteComponent(() => import('./alerts/alerts-page.tsx'), 'AlertsPage'),
});
const channels = createRoute({
  ...shared,
  path: '/notifications/channels',
  component: lazyRouteComponent(() => import('./channels/channels-page.tsx'), 'ChannelsPage'),
});
const rules = createRoute({
  ...shared,
  path: '/notifications/rules',
  component: lazyRouteComponent(() => import('./rules/rules-page.tsx'), 'RulesPage'),
});
const deliveries = createRoute({
  ...shared,
  path: '/notifications/deliveries',
  component: lazyRouteComponent(() => import('./deliveries/messages-page.tsx'), 'MessagesPage'),
});

export const notificationRoutes = [alerts, channels, rules, deliveries];
