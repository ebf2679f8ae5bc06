// npm test: installs missing packages, then runs everything. The last line on stdout is always `N passed, N failed`.
import { install } from './install.mjs';
import { runOnProjectNode } from './project-node.mjs';

try {
  await install();
  const code = await runOnProjectNode('scripts/run-tests.ts', { args: process.argv.slice(2), whenKilled: 'SIGTERM' });
  // The run exits with 0 or 1 after printing its line; any other code means it died before that.
  if (code > 1) console.log('0 passed, 1 failed');
  process.exitCode = code;
} catch (error) {
  console.error(error.message);
  console.log('0 passed, 1 failed');
  process.exitCode = 1;
}
