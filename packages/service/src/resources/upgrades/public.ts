// What other resources may use of upgrades.
export { availableAfter, forgetOffersOf } from './store.ts';
