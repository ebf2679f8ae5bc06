// npm run bench: installs missing packages, then runs the benchmarks named by the arguments.
import { install } from './install.mjs';
import { programs } from './programs.mjs';
import { runOnProjectNode } from './project-node.mjs';

try {
  await install();
  // Measures the same bundles that npm start runs.
  const made = await programs();
  const env = made ? { HORTUS_TEST_PROGRAMS: made } : {};
  process.exitCode = await runOnProjectNode('bench/run.ts', {
    args: process.argv.slice(2),
    env,
    whenKilled: 'SIGTERM',
  });
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
