// What other resources may use of agent binaries.
export type { Release, Releases } from './releases.ts';
