// npm start: installs missing packages, then runs the service and a daemon for this machine until stopped.
import { join } from 'node:path';
import { buildConsole } from './console.mjs';
import { install, root } from './install.mjs';
import { keepRunning } from './keep-running.mjs';
import { programs } from './programs.mjs';
import { endOnProjectNode } from './project-node.mjs';

try {
  await install();
  const [made] = await Promise.all([programs(), buildConsole()]);
  const file = made ? join(made, 'serve', 'serve.mjs') : 'scripts/serve.ts';
  const options = {
    args: process.argv.slice(2),
    // By default V8 keeps up to 64 MB for new objects, also in an idle service.
    nodeArgs: ['--max-semi-space-size=4'],
    // Also caches compiled code between starts.
    env: { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules', '.cache', 'compiled') },
    whenKilled: 'SIGKILL',
  };
  process.exitCode = await keepRunning(() => endOnProjectNode(file, options));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
