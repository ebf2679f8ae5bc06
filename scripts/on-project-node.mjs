// node scripts/on-project-node.mjs <file> [arguments]: installs missing npm packages, then runs the file on the project's Node.
// It runs on any Node from 20 on, also in a fresh clone, so every script of package.json can start with it.
import { install } from './install.mjs';
import { runOnProjectNode } from './project-node.mjs';

try {
  await install();
  const [file, ...args] = process.argv.slice(2);
  process.exitCode = await runOnProjectNode(file, { args, whenKilled: 'SIGTERM' });
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
