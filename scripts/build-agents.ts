// Runs npm run build:daemon after Node and the npm packages are installed.
import { join } from 'node:path';
import { agentArchs, agentFileName } from '@hortus/contract/agent-file';
import { buildAgent } from './agent/build.ts';
import type { Arch } from './agent/stripped-node.ts';

const root = join(import.meta.dirname, '..');
const wanted = process.argv.slice(2);
const unknown = wanted.filter((arch) => !agentArchs.includes(arch as Arch));
if (unknown.length > 0) {
  console.error(`There is no agent for ${unknown.join(', ')}; name ${agentArchs.join(' or ')}, or nothing for both.`);
  process.exit(2);
}
for (const arch of wanted.length > 0 ? (wanted as Arch[]) : agentArchs) {
  const output = join(root, 'dist', agentFileName({ os: 'linux', arch }));
  const started = performance.now();
  try {
    const { size, notes } = await buildAgent({ arch, output });
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`${output} (${(size / 1e6).toFixed(0)} MB, ${seconds} s)`);
    for (const note of notes) console.log(`  ${note}`);
  } catch (error) {
    console.error(`The agent for linux ${arch} was not built: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}
