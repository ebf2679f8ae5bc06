// What other resources may use of rehearsals.
export type { RehearsalOrder, Rehearsals } from './service.ts';
