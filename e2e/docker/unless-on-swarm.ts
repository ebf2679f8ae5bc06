import { test } from 'vitest';
import { onSwarm, testsNotOnSwarm } from './on-swarm.ts';

const leftOut = new Set(Object.values(testsNotOnSwarm).flatMap((tests) => Object.keys(tests)));

/** Registers a test; on a Swarm only if the table of exceptions does not have it. */
export function testUnlessOnSwarm(name: string, options: { timeout: number }, body: () => Promise<void>): void {
  if (!leftOut.has(name)) throw new Error(`on-swarm.ts has no reason to leave out: ${name}`);
  if (!onSwarm) test(name, options, body);
}
