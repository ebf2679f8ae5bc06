// npm run bench: installs what is missing, then runs the benchmarks; arguments choose among them.
import { install } from './install.mjs';
import { programs } from './programs.mjs';
import { runOnProjectNode } from './project-node.mjs';

try {
  await install();
  // What is measured is what npm start runs.
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
