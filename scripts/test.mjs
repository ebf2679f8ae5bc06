// npm test: installs missing packages, then runs everything. The last line on stdout is always `N passed, N failed`.
import { install } from './install.mjs';
import { endOnProjectNode } from './project-node.mjs';

try {
  await install();
  const options = { args: process.argv.slice(2), whenKilled: 'SIGTERM' };
  const { code, signal, asked } = await endOnProjectNode('scripts/run-tests.ts', options);
  // The run exits with 0 or 1 after printing its line, or with 128 and the signal it was sent; otherwise it died before that.
  if (signal !== null || (code > 1 && !asked)) console.log('0 passed, 1 failed');
  process.exitCode = code;
} catch (error) {
  console.error(error.message);
  console.log('0 passed, 1 failed');
  process.exitCode = 1;
}
