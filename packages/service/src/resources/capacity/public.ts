// What other resources may use of capacity.
export { requireFit } from './fit.ts';
export { requireRoom, reservationOf } from './room.ts';
export { fullServers } from './store.ts';
