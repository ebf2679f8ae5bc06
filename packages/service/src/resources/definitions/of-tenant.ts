import { countOfTenants, lockOfTenant } from './store.ts';

/** What definitions are to the tenants they belong to; archived ones do not count. */
export const holdDefinitionsOf = lockOfTenant;
export const definitionsOfTenants = countOfTenants;
