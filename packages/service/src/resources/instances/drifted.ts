import { findLiving, lockDriftedOf, setHealed } from './store.ts';

/** What healing uses of instances. */
export type { InstanceRow as DriftedRow } from './store.ts';

/** Locks the unreleased instance of a definition if it has drifted. */
export const lockDrifted = lockDriftedOf;

/** Finds the unreleased instance of a definition. */
export const livingOf = findLiving;

/** Records a heal. */
export const noteHeal = setHealed;
