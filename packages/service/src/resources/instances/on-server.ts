import { countRunningOn, livingOn, namedOn } from './store.ts';

/** Lists what reserves capacity on a server. */
export const deployedOn = livingOn;

/** Counts the running instances of a server. */
export const runningOn = countRunningOn;

/** Lists the instances to move from a drained server. */
export const toMoveFrom = namedOn;
