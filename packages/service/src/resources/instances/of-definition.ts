import { definitionOf, findLiving, livingRevision, lockLiving } from './store.ts';

/** Finds the definition of an instance, for manifests. */
export const definitionOfInstance = definitionOf;

/** Finds the deployed revision of a definition; null if there is none. */
export const revisionOfLiving = livingRevision;

/** Finds the unreleased instance. */
export const livingOf = findLiving;

/** Locks the unreleased instance. */
export const holdLiving = lockLiving;
