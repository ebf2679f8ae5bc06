/** Accounts to those who show whose something is. */
export { nameOfAccount } from './store.ts';
