import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { frameRoute } from '../../frame/frame-route.ts';
import { listSearch } from '../../parts/list-search.ts';

const getParentRoute = () => frameRoute;
const alertParams = listSearch('status');
const createParams = listSearch('new');
const deliveryParams = listSearch('status', 'channel_id');

const alerts = createRoute({
  getParentRoute,
  path: '/notifications',
  validateSearch: alertParams,
  component: lazyRouteComponent(() => import('./alerts/alerts-page.tsx'), 'AlertsPage'),
});
const channels = createRoute({
  getParentRoute,
  path: '/notifications/channels',
  validateSearch: createParams,
  component: lazyRouteComponent(() => import('./channels/channels-page.tsx'), 'ChannelsPage'),
});
const rules = createRoute({
  getParentRoute,
  path: '/notifications/rules',
  validateSearch: createParams,
  component: lazyRouteComponent(() => import('./rules/rules-page.tsx'), 'RulesPage'),
});
const deliveries = createRoute({
  getParentRoute,
  path: '/notifications/deliveries',
  validateSearch: deliveryParams,
  component: lazyRouteComponent(() => import('./deliveries/messages-page.tsx'), 'MessagesPage'),
});

export const notificationRoutes = [alerts, channels, rules, deliveries] as const;
