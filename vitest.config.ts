import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['packages/*/src/**/*.test.ts', 'e2e/**/*.test.ts', 'scripts/**/*.test.ts'],
    globalSetup: ['packages/testkit/src/vitest-postgres.ts', 'packages/testkit/src/vitest-docker.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
