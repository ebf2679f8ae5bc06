import type { metricEndpoints } from '@hortus/contract/resources/metrics';
import type { Handlers } from '../../http/handler.ts';
import type { Metrics } from './service.ts';

export const metricRoutes = (metrics: Metrics): Handlers<keyof typeof metricEndpoints> => ({
  'metrics.instance': async ({ principal, params, query }) => ({
    success: true,
    data: await metrics.ofInstance(principal, params.id, query),
  }),
});
