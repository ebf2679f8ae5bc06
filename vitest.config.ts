import { defineConfig } from 'vitest/config';
import { SlowestFirst } from './scripts/slowest-first.ts';
import { selectTests, type TestSize } from './scripts/test-files.ts';

/** Set by `npm test` and its variants; `npx vitest` finds every file. */
const size = (process.env.HORTUS_TEST_SIZE ?? 'named') as TestSize;
const { own, shared, inBrowser, onSwarm } = selectTests(import.meta.dirname, size);

export default defineConfig({
  test: {
    // More than CI has cores: half of the time a test waits, for a container or for an answer. Tests of engines and clusters
    // need the processor in bursts, and a run of everything has many of them at a time.
    maxWorkers: 4,
    // Of a file whose tests run beside each other: each of them starts an application.
    maxConcurrency: 2,
    sequence: { sequencer: SlowestFirst },
    globalSetup: [
      'packages/testkit/src/vitest-postgres.ts',
      'packages/testkit/src/vitest-docker.ts',
      'packages/service/src/testing/vitest-migrated.ts',
    ],
    // They end what hangs; what is only slow, on a machine that has much to do, has not failed.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    projects: [
      { extends: true, test: { name: 'own process', include: [...own] } },
      { extends: true, test: { name: 'on a Swarm', include: [...onSwarm], env: { HORTUS_TEST_ON_SWARM: '1' } } },
      { extends: true, test: { name: 'console', include: [...inBrowser], isolate: false } },
      { extends: true, test: { name: 'shared process', include: [...shared], isolate: false } },
    ],
  },
});
