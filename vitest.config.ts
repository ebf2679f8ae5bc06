import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'e2e/**/*.test.ts', 'scripts/**/*.test.ts'],
    // One for each core that CI has: a test that waits for a container leaves its core to another.
    maxWorkers: 2,
    globalSetup: [
      'packages/testkit/src/vitest-postgres.ts',
      'packages/testkit/src/vitest-docker.ts',
      'packages/service/src/testing/vitest-migrated.ts',
    ],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
