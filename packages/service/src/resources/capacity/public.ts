// What other resources may use of capacity.
export { requireFit } from './fit.ts';
export { Footprints, footprintOf } from './footprints.ts';
export { requireRoom, reservationOf } from './room.ts';
export { capacitiesOf, fullServers } from './store.ts';
