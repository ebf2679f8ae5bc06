// What other resources may use of events.
export { DAY_MS, eventsByDay } from './by-day.ts';
export { listEvents } from './listing.ts';
export { type EventRow, eventList } from './store.ts';
