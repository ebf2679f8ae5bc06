// npm run bench: installs what is missing, then runs the benchmarks; arguments choose among them.
import { install } from './install.mjs';
import { runOnProjectNode } from './project-node.mjs';

try {
  await install();
  process.exitCode = await runOnProjectNode('bench/run.ts', { args: process.argv.slice(2), whenKilled: 'SIGTERM' });
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
