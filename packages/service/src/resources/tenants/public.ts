// What other resources may use of tenants.
export { joinTenant, requireOpenTenant, tenantExists } from './membership.ts';
export type { Tenants } from './service.ts';
export { findTenant, tenantsOf, tenantsOn } from './store.ts';
