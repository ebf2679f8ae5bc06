import { countRunningOn, livingOn, namedOn } from './store.ts';

/** For deployments: what a server has to keep room for. */
export const deployedOn = livingOn;

/** For servers: how many instances would be left running with nobody to look after them. */
export const runningOn = countRunningOn;

/** For servers that are drained: what has to be moved. */
export const toMoveFrom = namedOn;
