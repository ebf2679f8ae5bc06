import type { Resource } from '../../resource.ts';
import type { LiveMetrics } from './live.ts';
import { removeFineUsage, removeUsage } from './retention.ts';
import { metricRoutes, metricStreams } from './routes.ts';
import type { Metrics } from './service.ts';
import { FINE_DAYS } from './steps.ts';

interface Needs {
  readonly metrics: Metrics;
  readonly liveMetrics: LiveMetrics;
}

export const resource = {
  tables: ['usage_points'],
  retention: ({ metrics }) => [
    { name: 'usage', days: metrics, remove: removeUsage },
    { name: 'fine usage', days: FINE_DAYS, remove: removeFineUsage },
  ],
  wire: ({ metrics, liveMetrics }: Needs) => ({
    handlers: metricRoutes(metrics, liveMetrics),
    liveHandlers: metricStreams(liveMetrics),
  }),
} satisfies Resource<Needs>;
