// npm run build:daemon: installs what is missing, then makes the agent binaries in dist/.
import { install } from './install.mjs';
import { runOnProjectNode } from './project-node.mjs';

try {
  await install();
  const args = process.argv.slice(2);
  process.exitCode = await runOnProjectNode('scripts/build-agents.ts', { args, whenKilled: 'SIGTERM' });
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
