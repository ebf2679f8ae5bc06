import type { Run } from './run-command.ts';

/** Static checks. */
const checks = [
  { name: 'types', argv: ['node_modules/.bin/tsc', '--noEmit', '--checkers', '2'] },
  { name: 'types of the console', argv: ['node_modules/.bin/tsc', '--noEmit', '--project', 'packages/web'] },
  { name: 'format and lint', argv: ['node_modules/.bin/biome', 'check'] },
  {
    name: 'unused code',
    argv: [process.execPath, 'node_modules/knip/bin/knip.js', '--no-progress', '--treat-config-hints-as-errors'],
  },
  { name: 'boundaries', argv: [process.execPath, 'scripts/check-boundaries.ts'] },
  { name: 'regular expressions', argv: [process.execPath, 'scripts/check-patterns.ts'] },
];

/** Runs every check, even after a failure, and counts the results; a check that was interrupted has none. */
export async function runChecks(run: Run, interrupted: AbortSignal): Promise<{ passed: number; failed: number }> {
  const count = { passed: 0, failed: 0 };
  for (const { name, argv } of checks) {
    const started = performance.now();
    const passed = (await run(argv)) === 0;
    if (interrupted.aborted) break;
    count[passed ? 'passed' : 'failed']++;
    console.log(`${passed ? '✓' : '✗'} ${name} (${Math.round(performance.now() - started)} ms)`);
  }
  return count;
}
