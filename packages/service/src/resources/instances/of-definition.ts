import { definitionOf, findLiving, livingRevision, lockLiving } from './store.ts';

/** For manifests: which definition an instance is of. */
export const definitionOfInstance = definitionOf;

/** What instances are to the definitions that they are of: the revision that is there now, or null. */
export const revisionOfLiving = livingRevision;

/** The one that has not been released. */
export const livingOf = findLiving;

/** The same, kept until the transaction ends. */
export const holdLiving = lockLiving;
