import { countOfTenants, lockOfTenant } from './store.ts';

/** What tenants use of their definitions; archived ones are ignored. */
export const holdDefinitionsOf = lockOfTenant;
export const definitionsOfTenants = countOfTenants;
