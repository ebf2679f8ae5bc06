import type { metricEndpoints } from '@hortus/contract/resources/metrics';
import type { Handlers, LiveHandlers } from '../../http/handler.ts';
import type { LiveMetrics } from './live.ts';
import type { Metrics } from './service.ts';

type Names = keyof typeof metricEndpoints;

export const metricRoutes = (metrics: Metrics, live: LiveMetrics): Handlers<Names> => ({
  'metrics.instance': async ({ principal, params, query }) => ({
    success: true,
    data: await metrics.ofInstance(principal, params.id, query),
  }),
  'metrics.server': async ({ principal, params }) => ({
    success: true,
    data: await live.server(principal, params.id),
  }),
});

export const metricStreams = (live: LiveMetrics): LiveHandlers<Names> => ({
  'metrics.instance': ({ principal, params, query }) => live.followInstance(principal, params.id, query.component),
  'metrics.server': ({ principal, params }) => live.followServer(principal, params.id),
});
