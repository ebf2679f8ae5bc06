// npm start: installs what is missing, then runs the service, and a daemon for this machine, until told to end.
import { join } from 'node:path';
import { install, root } from './install.mjs';
import { runOnProjectNode } from './project-node.mjs';

try {
  await install();
  process.exitCode = await runOnProjectNode('scripts/serve.ts', {
    args: process.argv.slice(2),
    // Compiled code is kept between starts: a third off the time to the first answer.
    env: { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules', '.cache', 'compiled') },
    whenKilled: 'SIGKILL',
  });
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
