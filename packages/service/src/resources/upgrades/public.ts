// What other resources may use of upgrades.
export { forgetOffersOf } from './store.ts';
