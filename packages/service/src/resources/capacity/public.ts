// What other resources may use of capacity.
export { requireFit } from './fit.ts';
export { type Footprint, Footprints, footprintOf } from './footprints.ts';
export { type Reservation, requireRoom, reservationOf } from './room.ts';
export { capacitiesOf, fullServers } from './store.ts';
