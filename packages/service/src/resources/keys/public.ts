// What other resources may use of keys.
export { nameOfKey } from './store.ts';
