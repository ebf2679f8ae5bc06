// What other resources may use of signing in.
export { accountOf } from './accounts.ts';
export { setPassword } from './new-password.ts';
export { newSessionRecord, userRecord } from './record.ts';
export type { SignedIn } from './service.ts';
export { nameOfAccount } from './store.ts';
export { auditUser } from './user-audit.ts';
