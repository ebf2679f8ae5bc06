// What other resources may use of migrations.
export { hostPathsOf, volumesOf } from './manifest-storage.ts';
