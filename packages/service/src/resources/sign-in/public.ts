// What other resources may use of signing in.
export { accountOf } from './accounts.ts';
export { sessionRecord, userRecord } from './record.ts';
export type { SignedIn } from './service.ts';
export { nameOfAccount } from './store.ts';
