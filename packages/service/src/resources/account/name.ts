/** Lets other resources read the display name of an account. */
export { nameOfAccount } from './store.ts';
