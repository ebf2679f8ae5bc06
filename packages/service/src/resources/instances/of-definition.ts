import { livingRevision } from './store.ts';

/** What instances are to the definitions that they are of: the revision that is there now, or null. */
export const revisionOfLiving = livingRevision;
