import type { Resource } from '../../resource.ts';
import { FINE_DAYS } from '../metrics/public.ts';
import { removeCapacity, removeFineCapacity } from './retention.ts';
import { capacityRoutes } from './routes.ts';
import type { Capacities } from './service.ts';

interface Needs {
  readonly capacities: Capacities;
}

export const resource = {
  tables: ['server_capacity', 'capacity_points'],
  // Lists servers, also those that have not reported yet.
  joins: ['servers'],
  retention: ({ metrics }) => [
    { name: 'capacity', days: metrics, remove: removeCapacity },
    { name: 'fine capacity', days: FINE_DAYS, remove: removeFineCapacity },
  ],
  wire: ({ capacities }: Needs) => ({ handlers: capacityRoutes(capacities) }),
} satisfies Resource<Needs>;
