import { findLiving, lockDriftedOf, setHealed } from './store.ts';

/** What instances that differ from what was deployed are to those who heal them. */
export type { InstanceRow as DriftedRow } from './store.ts';

/** The living instance of a definition, if it has drifted; kept until the transaction ends. */
export const lockDrifted = lockDriftedOf;

/** The one of a definition that has not been released. */
export const livingOf = findLiving;

/** It is being healed now. */
export const noteHeal = setHealed;
