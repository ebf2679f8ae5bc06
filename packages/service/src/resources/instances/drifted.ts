import { lockDriftedOf, setHealed } from './store.ts';

/** What instances that differ from what was deployed are to those who heal them. */
export type { InstanceRow as DriftedRow } from './store.ts';

/** The living instance of a definition, if it has drifted; kept until the transaction ends. */
export const lockDrifted = lockDriftedOf;

/** It is being healed now. */
export const noteHeal = setHealed;
