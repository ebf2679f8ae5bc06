// What other resources may use of migrations.
export { hostPathsOf, volumesOf } from './manifest-storage.ts';
export type { Migrations } from './service.ts';
export { findMigration, incomingOn } from './store.ts';
