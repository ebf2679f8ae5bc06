import { defineConfig } from 'vitest/config';
import { LongestFirst } from './scripts/longest-first.ts';

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'e2e/**/*.test.ts', 'scripts/**/*.test.ts'],
    // One more than CI has cores: about a third of the time a test waits, for a container or for an answer.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    globalSetup: [
      'packages/testkit/src/vitest-postgres.ts',
      'packages/testkit/src/vitest-docker.ts',
      'packages/service/src/testing/vitest-migrated.ts',
    ],
    // They end what hangs; what is only slow, on a machine that has much to do, has not failed.
    testTimeout: 120_000,
    hookTimeout: 180_000,
  },
});
