// What other resources may use of tenants.
export { joinTenant, requireOpenTenant, tenantIsThere } from './membership.ts';
export type { Tenants } from './service.ts';
