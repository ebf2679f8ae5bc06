// What other resources may use of actions.
export type { EndedBackupAction } from './results.ts';
export type { Actions } from './service.ts';
export { releaseUnderWay } from './under-way.ts';
