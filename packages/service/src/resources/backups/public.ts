// What other resources may use of backups.
export type { Backups } from './service.ts';
export { scheduledAfter } from './store.ts';
