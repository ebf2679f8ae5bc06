import type { Resource } from '../../resource.ts';
import { tenantRoutes } from './routes.ts';
import type { Tenants } from './service.ts';

interface Needs {
  readonly tenants: Tenants;
}

export const resource = {
  tables: ['tenants', 'suspended_instances'],
  wire: ({ tenants }: Needs) => ({ handlers: tenantRoutes(tenants) }),
} satisfies Resource<Needs>;
