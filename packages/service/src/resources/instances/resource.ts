import type { Resource } from '../../resource.ts';
import type { Drifts } from './drift.ts';
import type { InstanceOrders } from './orders.ts';
import { instanceRoutes } from './routes.ts';
import type { Instances } from './service.ts';

interface Needs {
  readonly instances: Instances;
  readonly orders: InstanceOrders;
  readonly drifts: Drifts;
}

export const resource = {
  tables: ['instances'],
  // Lists instances, and finds them for a report, by the name of their definition.
  joins: ['definitions', 'revisions'],
  wire: ({ instances, orders, drifts }: Needs) => ({ handlers: instanceRoutes(instances, orders, drifts) }),
} satisfies Resource<Needs>;
