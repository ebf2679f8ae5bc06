// npm run fuzz [-- --seed N --seconds N]: installs what is missing, then sends the service what nobody means, on both engines.
import { install } from './install.mjs';
import { runOnProjectNode } from './project-node.mjs';

try {
  await install();
  process.exitCode = await runOnProjectNode('scripts/run-fuzz.ts', {
    args: process.argv.slice(2),
    whenKilled: 'SIGTERM',
  });
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
