import { defineConfig } from 'vitest/config';

/**
 * Tests for scripts/interrupted-run.test.ts: some have ended, one never does.
 *
 * @public Vitest loads it by its path.
 */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.ts'],
    exclude: ['vitest.config.ts'],
    maxWorkers: 2,
  },
});
