// What other resources may use of rehearsals.
export type { Rehearsals } from './service.ts';
